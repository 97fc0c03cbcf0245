import { setTimeout as delay } from 'node:timers/promises';
import { insist } from './senders.ts';
import type { Site } from './site.ts';
import type { Person, Trial } from './trial.ts';

/** What happens around the messages: listeners are put out of channels and let in again, and DMs are opened with them. */
export class Life {
  private readonly site: Site;
  private readonly trial: Trial;
  private readonly random: (below: number) => number;
  private readonly running: Promise<unknown>;
  private stopped = false;

  constructor(site: Site, trial: Trial, random: (below: number) => number) {
    this.site = site;
    this.trial = trial;
    this.random = random;
    this.running = Promise.all([this.openDms(), this.putOut()]);
  }

  /** Ends when everyone is back where they were. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
    for (const person of this.trial.listeners) await this.letIn(person);
  }

  /** Between each speaker and each listener one, of which the speaker makes use at once. */
  private async openDms(): Promise<void> {
    const { listeners, speakers, senders, channelIds } = this.trial;
    const pairs = listeners.flatMap((listener) =>
      speakers.map((speaker, i) => ({ listener, speaker, sender: senders[i] })),
    );
    while (!this.stopped && pairs.length > 0) {
      const [pair] = pairs.splice(this.random(pairs.length), 1);
      if (!pair) return;
      const { answer } = await this.ask(pair.speaker, 'POST', '/api/dm/channels', { userId: pair.listener.id });
      channelIds.push(answer.id);
      pair.sender?.alsoTo(answer.id);
      await delay(this.random(600));
    }
  }

  private async putOut(): Promise<void> {
    const { listeners, hiddenIds, channelIds, serverId, owner, receivers } = this.trial;
    while (!this.stopped) {
      await delay(this.random(800));
      const person = listeners[this.random(listeners.length)];
      const channelId = hiddenIds[this.random(hiddenIds.length)];
      if (!person || !channelId) return;
      const all = this.random(3) === 0;
      const path = all ? `/api/servers/${serverId}` : `/api/channels/${channelId}`;
      const { status } = await this.ask(owner, 'DELETE', `${path}/members/${person.id}`);
      const places = all ? channelIds.filter((id) => this.trial.isOfServer(id)) : [channelId];
      const tracks = receivers.filter(({ userId }) => userId === person.id).map(({ track }) => track);
      if (status === 200) for (const track of tracks) for (const id of places) track.bar(id, Date.now());
      await delay(200 + this.random(4000));
      for (const track of tracks) for (const id of places) track.bar(id, undefined);
      await this.letIn(person);
    }
  }

  /** Wherever they are already, that is said. */
  private async letIn(person: Person): Promise<void> {
    const { serverId, hiddenIds, owner } = this.trial;
    // Each kick renews the code.
    const { answer } = await this.ask(owner, 'GET', `/api/servers/${serverId}`);
    const inviteCode = answer?.inviteCode;
    await this.ask(person, 'POST', `/api/servers/${serverId}/join`, { inviteCode });
    for (const id of hiddenIds) await this.ask(owner, 'POST', `/api/channels/${id}/members`, { userId: person.id });
  }

  private ask(person: Person, method: string, path: string, body: object = {}) {
    return insist({ url: this.site.door.url, token: person.token }, method, path, body);
  }
}
