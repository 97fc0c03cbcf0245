import { channelClientEvents } from '../../contract/channel.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ReadStateService } from './read-state.service.ts';

export function channelHandlers(readStates: ReadStateService): Handler[] {
  return handlers(channelClientEvents, {
    'channel:read': ({ actor, payload: { channelId, ...input } }) => readStates.markRead(actor, channelId, input),
  });
}
