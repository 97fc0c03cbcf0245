import { z } from 'zod';
import { validated } from '../contract/schema/validation.ts';
import { idSchema } from '../contract/schema.ts';
import type { AuditRecord } from '../features/audit/audit.view.ts';
import { asText, type Command } from './command.ts';

const optionsSchema = z.object({
  limit: z.coerce.number().int().min(1).max(10_000).default(50),
  server: idSchema.optional(),
});

/** What was done to the installation, or in a server, also in one that is gone. */
export const auditCommand: Command = {
  usage: 'audit [server id] [--limit <number>]',
  summary: 'the audit log of the installation, or of a server, also of a deleted one; newest first',
  async run({ args, options, services, print }) {
    const { limit, server } = validated(optionsSchema, { limit: asText(options.limit), server: args[0] });
    const { records } = await services.audit.page(server ?? null, {}, { limit, cursor: undefined });
    for (const record of records) print(lineOf(record));
    if (records.length === 0) print('There are no entries.');
  },
};

function lineOf({ createdAt, source, actor, token, action, target, before, after, reason }: AuditRecord): string {
  const by = actor ? `${actor.username} (${token?.kind ?? 'no token'})` : source;
  const whom = target?.user?.username ?? target?.label ?? target?.id;
  const values = [before, after].map((fields) => (fields ? JSON.stringify(fields) : '-'));
  const changed = before || after ? [`${values[0]} → ${values[1]}`] : [];
  return [createdAt, by, action, ...(whom ? [whom] : []), ...changed, ...(reason ? [reason] : [])].join('  ');
}
