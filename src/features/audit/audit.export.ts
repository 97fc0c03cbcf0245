import type { AuditRecord } from './audit.view.ts';

const columns = [
  ...(['id', 'createdAt', 'action', 'source', 'actorId', 'actor', 'tokenKind', 'tokenId', 'channelId'] as const),
  ...(['targetKind', 'targetId', 'target', 'before', 'after', 'reason'] as const),
];

type Cells = Record<(typeof columns)[number], string | null | undefined>;

function cellsOf({ actor, token, target, before, after, ...entry }: AuditRecord): Cells {
  return {
    ...{ id: entry.id, createdAt: entry.createdAt, action: entry.action, source: entry.source },
    ...{ actorId: actor?.id, actor: actor?.username, tokenKind: token?.kind, tokenId: token?.id },
    ...{ channelId: entry.channelId, targetKind: target?.kind, targetId: target?.id },
    target: target?.user?.username ?? target?.label,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
    reason: entry.reason,
  };
}

/** A cell of RFC 4180; what a spreadsheet would take for a formula is marked as text. */
function cell(text: string | null | undefined): string {
  if (text == null) return '';
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The forms of an exported log: what a file begins with, and a line of it. */
export const exportForms = {
  ndjson: { type: 'application/x-ndjson', head: '', line: (entry: AuditRecord) => `${JSON.stringify(entry)}\n` },
  csv: {
    type: 'text/csv; charset=utf-8',
    head: `${columns.join(',')}\r\n`,
    line(entry: AuditRecord) {
      const cells = cellsOf(entry);
      return `${columns.map((name) => cell(cells[name])).join(',')}\r\n`;
    },
  },
};
