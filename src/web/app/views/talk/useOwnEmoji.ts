import type { ServerRecord } from '../../../../client/index.ts';
import type { OwnEmoji } from '../../state/own-emoji.ts';
import { useLoaded } from '../parts/loading.ts';
import { useApp } from '../useApp.ts';

/** Loads the emoji of a server's own, and again when they change. */
export function useOwnEmoji(server: ServerRecord | null): readonly OwnEmoji[] {
  const { ownEmoji } = useApp();
  useLoaded(async () => {
    if (server) await ownEmoji.load(server.id);
  }, [server?.id, server?.emojiVersion]);
  return ownEmoji.of(server?.id ?? '');
}
