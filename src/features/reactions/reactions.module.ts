import type { Context } from '../context.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import { reactionHandlers } from './reaction.gateway.ts';
import { reactionRoutes } from './reaction.routes.ts';
import { ReactionService } from './reaction.service.ts';

/** Reactions to messages (contract §6). */
export function reactionsModule(context: Context & MessagesServices) {
  const reactions = new ReactionService(context);
  return { routes: reactionRoutes(reactions), handlers: () => reactionHandlers(reactions) };
}
