/** A version of PostgreSQL. */
export interface Version {
  /** As people write it: `18.4`. */
  text: string;
  major: number;
  minor: number;
}

/** The version in what `postgres --version` or a data folder's PG_VERSION says; undefined when there is none. */
export function parseVersion(said: string): Version | undefined {
  const found = /\b(\d{1,3})(?:\.(\d{1,4})|(?:devel|beta\d+|rc\d+))?/.exec(said.replace(/^.*\(PostgreSQL\)\s*/s, ''));
  if (!found) return undefined;
  return { text: found[0], major: Number(found[1]), minor: Number(found[2] ?? 0) };
}
