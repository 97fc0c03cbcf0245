/**
 * Where to go on after signing in: a path on this site, whatever was asked for. Browsers take `\` for `/` and ignore
 * tabs, so it is what the URL parser makes of it that counts.
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
