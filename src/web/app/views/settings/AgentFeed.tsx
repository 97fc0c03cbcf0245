import type { RestAnswer } from '../../../../client/index.ts';
import { Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import type { Agent } from './Agents.tsx';

type Feed = RestAnswer<'GET /api/agents/:id/feed'>;
type FeedRoom = Feed['rooms'][number];

/** Rooms that are listed; the sums are of all. */
const mostShown = 10;

/** How far a bot is behind, and sending it back. */
export function AgentFeed({ agent }: { agent: Agent }) {
  const { t } = useTexts();
  const { client, showToast } = useApp();
  const { id } = agent;
  const { value, load } = useLoaded(
    async () => ({
      feed: await client.rest('GET /api/agents/:id/feed', { id }),
      config: await client.rest('GET /api/agents/:id/config', { id }),
    }),
    [id],
  );
  if (!value) return null;
  const { feed, config } = value;
  const names = new Map<string, string>(
    config.servers.flatMap((server) =>
      server.channels.map((channel) => [`channel:${channel.id}`, `#${channel.name} · ${server.name}`] as const),
    ),
  );
  const nameOf = ({ room }: FeedRoom) =>
    names.get(room) ?? (room.startsWith('user:') ? t('Its own events') : t('Direct messages'));
  const late = feed.rooms.filter((room) => lagOf(room) > 0).slice(0, mostShown);
  const replay = async ({ text }: Fields) => {
    const at = new Date(Date.now() - Number(text('hours')) * 60 * 60 * 1000).toISOString();
    const room = text('room') || undefined;
    await client.rest('POST /api/agents/:id/feed/replay', { id, body: { room, at } });
    await load();
    showToast(t('The bot gets these events again.'));
  };
  return (
    <Block
      title={t('Progress')}
      about={t('What it says to have dealt with: by webhook what was accepted, by polls what it asked beyond.')}
    >
      <Total label={t('By webhook')} total={feed.webhook} />
      <Total label={t('By polls')} total={feed.poll} />
      {!feed.webhook && !feed.poll && <p class="empty">{t('It receives events over sockets only, at once.')}</p>}
      <ul class="people">
        {late.map((room) => (
          <LateRoom key={room.room} name={nameOf(room)} room={room} />
        ))}
      </ul>
      <Form action={t('Deliver again')} work={replay}>
        <Select
          label={t('Place')}
          name="room"
          options={[
            { value: '', label: t('Everywhere') },
            ...feed.rooms.map((room) => ({ value: room.room, label: nameOf(room) })),
          ]}
        />
        <Select
          label={t('What happened')}
          name="hours"
          hint={t('As far back as the log goes. The bot may receive an event twice.')}
          options={[
            { value: '1', label: t('Last hour') },
            { value: '24', label: t('Last day') },
            { value: '168', label: t('Last week') },
          ]}
        />
      </Form>
    </Block>
  );
}

function Total({ label, total }: { label: string; total: Feed['webhook'] }) {
  const { t } = useTexts();
  if (!total) return null;
  const { lag, rooms } = total;
  return (
    <p class="hint" role="status">
      {label}:{' '}
      {lag === 0
        ? t('nothing is waiting.')
        : t(
            '{lag, plural, one {# event waits} other {# events wait}} in {rooms, plural, one {# place} other {# places}}.',
            {
              lag,
              rooms,
            },
          )}
    </p>
  );
}

function LateRoom({ name, room }: { name: string; room: FeedRoom }) {
  const { t, fullTime } = useTexts();
  const { waitingSince, replayAfter } = room;
  const about = [
    t('{lag, plural, one {# event waits} other {# events wait}}', { lag: lagOf(room) }),
    waitingSince && t('since {time}', { time: fullTime(waitingSince) }),
    replayAfter !== null && t('sent back'),
  ];
  return <Row name={name} about={about.filter(Boolean).join(' · ')} />;
}

const lagOf = ({ webhook, poll }: FeedRoom): number => Math.max(webhook?.lag ?? 0, poll?.lag ?? 0);
