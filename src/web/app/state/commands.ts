import type { RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type SlashCommand = RestAnswer<'GET /api/channels/:id/slash-commands'>['commands'][number];

/** The commands of bots, by channel. */
export class SlashCommands {
  private readonly core: Core;
  private readonly known = new Map<string, Promise<SlashCommand[]>>();
  private readonly followed = new Set<string>();

  constructor(core: Core) {
    this.core = core;
  }

  of(channelId: string): Promise<SlashCommand[]> {
    const known = this.known.get(channelId);
    if (known) return known;
    const forget = () => this.known.delete(channelId);
    const answer = this.core.client.rest('GET /api/channels/:id/slash-commands', { id: channelId }).then(
      ({ commands }) => commands,
      () => {
        // They are optional, and can be requested again.
        forget();
        return [];
      },
    );
    this.known.set(channelId, answer);
    this.follow(channelId, forget);
    return answer;
  }

  private follow(channelId: string, forget: () => void): void {
    if (this.followed.has(channelId)) return;
    this.followed.add(channelId);
    const channel = this.core.client.channel(channelId);
    for (const event of ['channel:slash-commands-updated', 'member:joined', 'member:left', 'reload'] as const) {
      channel.listen(event, forget);
    }
  }
}
