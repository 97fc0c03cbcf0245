import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Loose } from '../world/person.ts';
import { insist } from './senders.ts';
import type { Site } from './site.ts';
import { ownRoom } from './track.ts';
import type { Trial } from './trial.ts';

const settleMs = 15_000;
/** Where Redis forgot who is there, or could not be asked, nodes say so again. */
const presenceMs = 20_000;

/** Everyone who is connected must have what the log of their own room says, notifications of the last messages too. */
export async function checkOwnRooms(site: Site, { receivers, listeners, ledger }: Trial): Promise<void> {
  const behind = async () => {
    const missing: string[] = [];
    for (const { id, token } of listeners) {
      const { answer } = await insist({ url: site.door.url, token }, 'GET', '/api/events');
      for (const { userId, track } of receivers) {
        const position = track.positionIn(ownRoom);
        if (userId !== id || !track.isIn(ownRoom) || position === answer.seq) continue;
        missing.push(`${track.kind}: has ${position} of ${answer.seq} events of its own room`);
      }
    }
    return missing;
  };
  let missing = await behind();
  for (
    const end = Date.now() + ledger.patience(settleMs);
    missing.length > 0 && Date.now() < end;
    missing = await behind()
  )
    await delay(200);
  ledger.broken.push(...missing.slice(0, 3));
}

/** What the events made of a channel must be what is read there, and that what was acknowledged; the last ones may be on their way. */
export async function checkPictures(site: Site, trial: Trial): Promise<void> {
  let wrong = await mistakes(site, trial);
  for (
    const end = Date.now() + trial.ledger.patience(settleMs);
    wrong.length > 0 && Date.now() < end;
    wrong = await mistakes(site, trial)
  )
    await delay(500);
  trial.ledger.broken.push(...wrong);
}

async function mistakes(site: Site, { receivers, channelIds, listeners, ledger }: Trial): Promise<string[]> {
  const { words, reacted, messages } = ledger;
  const found: string[] = [];
  const read = new Map<string, Loose>();
  for (const channelId of channelIds) {
    const list = await readAll(site, listeners, channelId);
    for (const record of list) read.set(record.id, record);
    for (const { userId, track } of receivers) {
      const picture = track.picture(channelId);
      if (!picture) continue;
      const wrong = differences(picture.messages, list, picture.from);
      if (wrong.length > 0) found.push(`${track.kind} of ${userId}: ${channelId} looks otherwise: ${wrong[0]}`);
    }
  }
  for (const { id } of messages.values()) {
    const record = read.get(id);
    const content = words.get(id);
    if ((content === null) !== (record === undefined))
      found.push(`${id} should be ${content === null ? 'gone' : 'there'}`);
    if (record && content && record.content !== content) found.push(`an edit of ${id} is lost`);
    if (record && reacted.has(id) && record.reactions.length === 0) found.push(`a reaction to ${id} is lost`);
  }
  return found;
}

/** Everyone who listens is online, and each node says so. */
export async function checkPresence({ nodes }: Site, { owner, serverId, listeners, ledger }: Trial): Promise<void> {
  const missing = async () => {
    for (const [i, { url }] of nodes.entries()) {
      const { answer } = await insist({ url, token: owner.token }, 'GET', `/api/servers/${serverId}/members`);
      const online = new Set(answer.flatMap(({ userId, user }: Loose) => (user.status === 'online' ? [userId] : [])));
      const away = listeners.filter(({ id }) => !online.has(id));
      if (away.length > 0) return `node ${i} does not know that ${away.length} listeners are online`;
    }
    return undefined;
  };
  let wrong = await missing();
  for (const end = Date.now() + ledger.patience(presenceMs); wrong && Date.now() < end; wrong = await missing())
    await delay(200);
  if (wrong) ledger.broken.push(wrong);
}

/** All messages of a channel, read by the first one who may. */
async function readAll(site: Site, people: { token: string }[], channelId: string): Promise<Loose[]> {
  for (const { token } of people) {
    const list: Loose[] = [];
    for (let cursor = ''; ; ) {
      const path = `/api/channels/${channelId}/messages?include=threads&limit=100${cursor}`;
      const { status, answer } = await insist({ url: site.door.url, token }, 'GET', path);
      if (status !== 200) break;
      list.push(...answer.messages);
      if (!answer.hasMore) return list;
      cursor = `&cursor=${list.at(-1).id}`;
    }
  }
  return [];
}

function differences(picture: Map<string, Loose>, list: Loose[], from: number): string[] {
  const read = new Map<string, Loose>(list.map(({ nonce, ...record }) => [record.id, record]));
  const newer = [...picture.values(), ...read.values()].filter(({ seq }) => seq > from);
  const ids = new Set(newer.map(({ id }) => id));
  const differing = [...ids].filter((id) => !isDeepStrictEqual(picture.get(id), read.get(id)));
  return differing.map((id) => `${JSON.stringify(picture.get(id))} for ${JSON.stringify(read.get(id))}`);
}
