import { z } from 'zod';
import { optionIdSchema, pollCalls } from '../../contract/poll.ts';
import { validated } from '../../contract/schema/validation.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { PollService } from './poll.service.ts';

const optionSchema = z.object({ optionId: optionIdSchema });

export function pollRoutes(polls: PollService): Route[] {
  return serve(pollCalls, {
    getPoll: ({ actor, params }) => polls.get(actor, params.id),
    vote: ({ actor, params, body }) => polls.vote(actor, params.id, body.optionIds),
    withdrawVote: ({ actor, params }) => polls.vote(actor, params.id, []),
    closePoll: ({ actor, params }) => polls.close(actor, params.id),
    async listVoters({ actor, params, query }) {
      const { optionId } = validated(optionSchema, { optionId: params.optionId });
      return pageReply(await polls.voters(actor, params.id, optionId, query));
    },
    listOwnVotes: ({ actor, params, query }) => polls.ownVotes(actor, params.channelId, query.messageIds),
  });
}
