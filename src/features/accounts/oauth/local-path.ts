/**
 * Where to go after signing in: always a path on this site. Browsers read `\` as `/` and ignore tabs, so the result of the
 * URL parser decides.
 * @param site the origin of this site
 */
export function localPath(wanted: string | undefined, site: string): string {
  const { origin } = new URL(site);
  if (!wanted || !URL.canParse(wanted, origin)) return '/';
  const target = new URL(wanted, origin);
  const path = target.pathname + target.search + target.hash;
  // A path that begins with two slashes is another site.
  return target.origin === origin && !path.startsWith('//') ? path : '/';
}
