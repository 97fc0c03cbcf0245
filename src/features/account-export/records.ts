import { isoTimeOrNull } from '../../contract/schema.ts';
import type { ExportRecord } from './pages.ts';

/** Times as everywhere (contract §1). */
export function withTimes(record: ExportRecord): ExportRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      /(At|Until)$/.test(name) && (typeof value === 'string' || value === null) ? isoTimeOrNull(value) : value,
    ]),
  );
}

/**
 * Where a file is in the archive: below its id, by its name as far as that is a name everywhere. No name leads outside of
 * the archive, begins with a dot, or means something to a system.
 */
export function pathOf({ id, filename }: { id: string; filename: string }): string {
  const safe = filename
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._ -]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 100)
    .toWellFormed();
  const isDevice = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(safe);
  return `files/${id}/${safe === '' || isDevice ? `file${safe}` : safe}`;
}
