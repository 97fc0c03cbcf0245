import type { ServerRecord } from '../../../../client/index.ts';

/** A server's icon, or the first letters of its name. */
export function ServerPicture({ server }: { server: Pick<ServerRecord, 'name' | 'iconUrl'> }) {
  if (server.iconUrl) return <img src={server.iconUrl} alt="" referrerpolicy="no-referrer" />;
  const words = server.name.split(/\s+/).slice(0, 2);
  return <span aria-hidden="true">{words.map((word) => [...word][0] ?? '').join('')}</span>;
}
