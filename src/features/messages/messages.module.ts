import { Writer } from '../../delivery/writer.ts';
import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { FiltersServices } from '../filters/filters.module.ts';
import type { MentionsServices } from '../mentions/mentions.module.ts';
import { Captures } from './captures.ts';
import { CommandDirectory } from './command-directory.ts';
import { forgetOldHeld, Holding } from './holding.ts';
import { LogRenewal } from './log-renewal.ts';
import { LoopGuard } from './loop-guard.ts';
import { MessageAccess } from './message.access.ts';
import { MessageComposer } from './message.composer.ts';
import { messageHandlers } from './message.gateway.ts';
import { messageRoutes } from './message.routes.ts';
import { MessageService } from './message.service.ts';
import { MessageTable } from './message.table.ts';
import { PinService } from './pin.service.ts';
import { forgetSlowModeTurns } from './slow-mode.ts';

export type MessagesServices = ReturnType<typeof messagesModule>['services'];

/** Messages: the writer that commits them, reading, editing, pins (contract §6). */
export function messagesModule(context: Context & MentionsServices & FiltersServices & BlobsServices) {
  const { database, caches, settings } = context;
  context.delivery.renewal = new LogRenewal(database, caches);
  const writer = new Writer({ ...context, table: new MessageTable(context.allowance), settings: settings.delivery });
  const commands = new CommandDirectory(database, caches);
  const loopGuard = new LoopGuard(database, settings.agents);
  const messageAccess = new MessageAccess(database, context.channelAccess);
  const composer = new MessageComposer({ ...context, commands, messageAccess });
  const holding = new Holding(context);
  const captures = new Captures({ ...context, composer });
  const parts = { ...context, writer, messageAccess, composer, loopGuard, holding, captures };
  const messages = new MessageService(parts);
  return {
    services: { writer, commands, composer, loopGuard, messageAccess, messages, holding },
    routes: messageRoutes(messages, new PinService({ ...context, messageAccess })),
    handlers: () => messageHandlers(messages),
    chores: [forgetSlowModeTurns, forgetOldHeld],
    close: () => writer.close(),
  };
}
