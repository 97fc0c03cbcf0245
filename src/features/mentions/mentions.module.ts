import type { Context } from '../context.ts';
import { mentionRoutes } from './mention.routes.ts';
import { MentionService } from './mention.service.ts';

export type MentionsServices = ReturnType<typeof mentionsModule>['services'];

/** Who and what a text names (contract §6). */
export function mentionsModule(context: Context) {
  const mentions = new MentionService(context);
  return { services: { mentions }, routes: mentionRoutes(mentions) };
}
