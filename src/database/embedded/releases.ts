import type { Version } from './version.ts';

/** What we know of a major version. */
interface Release {
  major: number;
  /** The newest release with security fixes when this table was written, and its day. */
  newest: string;
  released: string;
  /** The day of the last fixes. */
  supportedUntil: string;
}

/** When the table was looked at last. */
const asOf = '2026-11-27';

/**
 * The supported major versions, from PostgreSQL's announcements and Debian's security updates. Look at it with every
 * release of ours: https://www.postgresql.org/support/versioning/
 */
export const releases: readonly Release[] = [
  { major: 18, newest: '18.6', released: '2026-08-13', supportedUntil: '2030-11-14' },
  { major: 17, newest: '17.11', released: '2026-08-13', supportedUntil: '2029-11-08' },
  { major: 16, newest: '16.15', released: '2026-08-13', supportedUntil: '2028-11-09' },
  { major: 15, newest: '15.20', released: '2026-11-12', supportedUntil: '2027-11-11' },
];

/**
 * What an operator should know about a version: that it lacks security fixes, or gets none any more.
 * @param own whether the operator chose the programs
 * @returns one or two sentences with what to do; undefined when nothing is known against it
 */
export function concernOf(version: Version, own: boolean, now: Date): string | undefined {
  const release = releases.find(({ major }) => major === version.major);
  if (!release) return undefined;
  const advice = own
    ? 'update the package that POSTGRES_BIN belongs to, and restart'
    : 'update Parley, or set POSTGRES_BIN to the folder of newer programs, or DATABASE_URL (docs/security.md)';
  if (now.toISOString().slice(0, 10) > release.supportedUntil) {
    return `PostgreSQL ${version.text} gets no security fixes since ${release.supportedUntil}; use a newer major version: ${advice}.`;
  }
  if (version.minor >= Number(release.newest.split('.')[1])) return undefined;
  return `PostgreSQL ${version.text} lacks the security fixes of ${release.newest} (${release.released}); ${advice}.`;
}

/** The table in docs/security.md. */
export function releasesTable(packaged: string): string {
  const rows = releases.map(
    ({ major, newest, released, supportedUntil }) =>
      `| ${major} | ${newest} (${released}) | ${supportedUntil} | ${parseMajor(packaged) === major ? packaged : ''} |`,
  );
  const head = '| major version | newest security release known | fixes until | in the package |';
  return [head, '|---|---|---|---|', ...rows, '', `As of ${asOf}.`].join('\n');
}

const parseMajor = (text: string) => Number(text.split('.')[0]);
