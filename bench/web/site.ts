import { crowdUser } from '../crowd.ts';
import { paced } from '../load.ts';
import { parley } from '../subject.ts';

/** What a page is looked at with: a channel in which people write, and one with a long past. */
export interface Site {
  origin: string;
  /** Path of the channel in which people write. */
  busy: string;
  /** Path of the channel with a long past. */
  long: string;
  /** What the browser keeps of someone who is signed in. */
  tokens: { accessToken: string; refreshToken: string; userId: string };
  /** How many messages were written in the busy channel. */
  readonly said: number;
  /** Has others write so many messages in the busy channel, so many a second. */
  flood(count: number, perSecond: number): Promise<void>;
  stop(): Promise<void>;
}

const people = 12;
const past = 10_000;
const atOnce = 16;

export async function openSite(): Promise<Site> {
  const subject = await parley({ channels: 2, people });
  const { first, tokens, serverId, channels } = subject;
  const [busy = '', long = ''] = channels;
  const write = async (channelId: string, n: number) => {
    const body = { content: contentOf(n) };
    await first.send('POST', `/api/channels/${channelId}/messages`, body, tokens[2 + (n % (people - 2))]);
  };
  let at = 0;
  const fill = async () => {
    while (at < past) await write(long, at++);
  };
  await Promise.all(Array.from({ length: atOnce }, fill));
  let said = 0;
  const flood = (count: number, perSecond: number) =>
    paced((count * 1000) / perSecond, perSecond, () => write(busy, ++said));
  await flood(60, 100);
  return {
    origin: `http://localhost:${first.port}`,
    busy: `/app/s/${serverId}/${busy}`,
    long: `/app/s/${serverId}/${long}`,
    tokens: { accessToken: tokens[1] ?? '', refreshToken: '-', userId: crowdUser(1) },
    get said() {
      return said;
    },
    flood,
    stop: () => subject.stop(),
  };
}

/** What people write: mostly a line or two, sometimes with a link, code, a list or a quotation. */
function contentOf(n: number): string {
  const text = `said ${n} – a message of about the length that people write in a chat`;
  switch (n % 10) {
    case 3:
      return `${text}, with **emphasis**, \`code\` and https://example.com/a/page`;
    case 5:
      return `> ${text}\nand what someone says to that`;
    case 7:
      return `${text}:\n- one\n- two\n- three`;
    case 9:
      return 'ok';
    default:
      return text;
  }
}
