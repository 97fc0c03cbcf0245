import type { RestAnswer } from '../../../client/index.ts';
import { parley } from './client.ts';

export type SlashCommand = RestAnswer<'GET /api/channels/:id/slash-commands'>['commands'][number];

const known = new Map<string, Promise<SlashCommand[]>>();

/** The commands of a channel's bots. */
export function commandsOf(channelId: string): Promise<SlashCommand[]> {
  const kept = known.get(channelId);
  if (kept) return kept;
  const channel = parley.channel(channelId);
  const forget = () => known.delete(channelId);
  const answer = parley.rest('GET /api/channels/:id/slash-commands', { id: channelId }).then(
    ({ commands }) => commands,
    () => {
      // They are optional, and can be requested again.
      forget();
      return [];
    },
  );
  if (!followed.has(channelId)) {
    followed.add(channelId);
    for (const event of ['channel:slash-commands-updated', 'member:joined', 'member:left', 'reload'] as const) {
      channel.listen(event, forget);
    }
  }
  known.set(channelId, answer);
  return answer;
}

const followed = new Set<string>();
