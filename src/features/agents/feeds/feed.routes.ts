import { agentFeedCalls } from '../../../contract/agent-feed.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { AnswerService } from '../answers/answer.service.ts';
import type { FeedService } from './feed.service.ts';

export function feedRoutes(feeds: FeedService, answers: AnswerService): Route[] {
  return serve(agentFeedCalls, {
    getAgentFeed: ({ actor, params }) => feeds.get(actor, params.id),
    replayAgent: ({ actor, params, body }) => feeds.replay(actor, params.id, body),
    getAnswerContext: ({ actor, params, query }) => answers.context(actor, params.id, params.messageId, query),
  });
}
