import { pollClientEvents } from '../../contract/poll.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { PollService } from './poll.service.ts';

export function pollHandlers(polls: PollService): Handler[] {
  return handlers(pollClientEvents, {
    'poll:vote': ({ actor, payload }) => polls.vote(actor, payload.messageId, payload.optionIds),
  });
}
