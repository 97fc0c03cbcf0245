import type { Person } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { done } from './done.ts';
import { landscape } from './pictures.ts';
import type { Team } from './team.ts';

type Place = Pick<Team, 'people' | 'bot' | 'server' | 'channels'>;

/** Says things at times of the day before, so that a conversation looks as it does after a day. */
class Diary {
  readonly said: { id: string; minutesAgo: number }[] = [];

  /** @returns the id of the message */
  async say(who: Person, channelId: string, minutesAgo: number, content: string, more: object = {}): Promise<string> {
    const { id } = await who.say(channelId, content, more);
    this.said.push({ id, minutesAgo });
    return id;
  }

  /** Moves what was said to its time: nothing of it was read yet. */
  async settle(databaseUrl: string): Promise<void> {
    await query(
      databaseUrl,
      `UPDATE messages m SET created_at = m.created_at - make_interval(mins => moved.minutes)
       FROM unnest($1::uuid[], $2::int[]) AS moved(id, minutes) WHERE m.id = moved.id`,
      [this.said.map(({ id }) => id), this.said.map(({ minutesAgo }) => minutesAgo)],
    );
  }
}

const priceQuery = `The price query was the slow one. It takes 9 ms now:
\`\`\`sql
SELECT station_id, min(price) FILTER (WHERE starts_at >= $1) AS from_price
FROM offers WHERE region = $2 GROUP BY station_id
\`\`\``;

const release = `For Thursday:
- Booking by the hour, with **half hours** at the end
- Stations that are full say so *before* one rides there
- \`GET /stations\` answers with an \`ETag\`

The notes are at https://fernwood.example/releases/42.`;

/** A day in the channels. @returns the message with code, and the thread that starts from it */
export async function mainTalk(team: Place, databaseUrl: string): Promise<Pick<Team, 'opening' | 'thread'>> {
  const diary = new Diary();
  await chat(team, diary);
  const opening = await engineer(team, diary);
  await draw(team, diary);
  await diary.settle(databaseUrl);
  const { jonas, priya, maya } = team.people;
  const thread = await done(priya.post(`/api/messages/${opening}/thread`, { name: 'The price query' }));
  for (const [who, content] of [
    [priya, 'Was it the missing index?'],
    [jonas, 'Yes: one on `offers (region, starts_at)`. It is 40 MB and worth it.'],
    [maya, 'Riders will notice. Thank you both!'],
  ] as const)
    await done(who.post(`/api/threads/${thread.id}/messages`, { content }));
  return { opening, thread: thread.id };
}

async function chat({ people, channels }: Place, diary: Diary): Promise<void> {
  const { maya, amara, kenji, leila, luca, sofia } = people;
  const { general, random, support, product } = channels;
  await diary.say(maya, general, 300, 'Good morning! The station at the river opens today 🎉');
  const poll = { question: 'Where do we have lunch on Friday?', options: ['Market hall', 'By the river', 'Office'] };
  const asked = await diary.say(amara, general, 260, '', { poll });
  for (const [who, option] of [
    [maya, 2],
    [kenji, 2],
    [leila, 1],
  ] as const)
    await done(who.put(`/api/messages/${asked}/poll/vote`, { optionIds: [option] }));
  const welcome = await diary.say(amara, general, 200, `Please welcome @${leila.username}, who joins support today.`);
  for (const who of [maya, kenji, sofia]) await done(who.post(`/api/messages/${welcome}/reactions`, { emoji: '👋' }));
  await diary.say(leila, general, 190, 'Thank you all! Where do I find the list of stations?', { replyToId: welcome });
  await diary.say(maya, general, 188, 'Under Files: `stations.csv`. Ask me anything.');
  await diary.say(luca, random, 150, 'The coffee machine has a name now: Beanjamin.');
  await diary.say(leila, support, 90, 'A rider asks whether a bike may go on the ferry.');
  await diary.say(maya, product, 80, 'Half hours or quarter hours? I lean to half hours.');
}

async function engineer({ people, bot, channels }: Place, diary: Diary): Promise<string> {
  const { maya, jonas, priya, kenji, sofia } = people;
  const { engineering } = channels;
  await diary.say(
    kenji,
    engineering,
    240,
    'Firmware 3.2 is on all test stations. Two of them rebooted once, I am looking.',
  );
  await diary.say(maya, engineering, 235, 'Thank you! Is that a reason to wait with Thursday?');
  await diary.say(kenji, engineering, 233, 'No. It is the old power supply, and those go next week anyway.');
  const notes = await diary.say(priya, engineering, 180, release);
  await done(maya.put(`/api/channels/${engineering}/pins/${notes}`));
  for (const who of [maya, jonas, kenji]) await done(who.post(`/api/messages/${notes}/reactions`, { emoji: '🚀' }));
  await done(sofia.post(`/api/messages/${notes}/reactions`, { emoji: '❤️' }));
  const opening = await diary.say(jonas, engineering, 120, priceQuery);
  for (const who of [maya, priya]) await done(who.post(`/api/messages/${opening}/reactions`, { emoji: '🎉' }));
  await diary.say(bot, engineering, 60, 'Build 482 of `main` passed in 3 min 12 s.');
  await diary.say(priya, engineering, 22, `@${maya.username} shall I start the rollout at ten?`);
  await diary.say(maya, engineering, 20, 'Ten is good. I am around all day.');
  return opening;
}

async function draw({ people, channels }: Place, diary: Diary): Promise<void> {
  const { sofia, maya, amara } = people;
  const { design } = channels;
  const pictures: { id: string }[] = [];
  for (let at = 0; at < 6; at++) {
    const { id } = await sofia.upload(`river-${at + 1}.webp`, await landscape(at));
    pictures.push({ id });
  }
  const photos = await diary.say(sofia, design, 70, 'First light at the river station this morning:', {
    attachments: pictures,
  });
  for (const who of [maya, amara]) await done(who.post(`/api/messages/${photos}/reactions`, { emoji: '😍' }));
  await diary.say(amara, design, 60, 'The second one for the front page?', { replyToId: photos });
  const notes = await maya.upload('poster-notes.txt', Buffer.from('Larger logo. Fewer words.'));
  await diary.say(maya, design, 40, 'Yes! And two words about the poster:', { attachments: [{ id: notes.id }] });
}
