import { SealedText } from '../../infrastructure/sealed-text.ts';
import type { AccountsServices } from '../accounts/accounts.module.ts';
import type { Context } from '../context.ts';
import type { MediaServices } from '../media/media.module.ts';
import type { MessagesServices } from '../messages/messages.module.ts';
import type { Module } from '../module.ts';
import type { PicturesServices } from '../pictures/pictures.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { HookPoster } from './hook.poster.ts';
import { hookRoutes } from './hook.routes.ts';
import { HookService } from './hook.service.ts';
import { resealHooks } from './reseal-hooks.ts';

/** Incoming webhooks (contract §6). */
export function hooksModule(
  context: Context & AccountsServices & MediaServices & MessagesServices & PicturesServices & PresenceServices,
) {
  const sealed = new SealedText(context.settings.jwtSecrets);
  const parts = { ...context, sealed };
  return {
    routes: hookRoutes(new HookService(parts), new HookPoster(parts)),
    chores: [resealHooks(sealed)],
  } satisfies Module;
}
