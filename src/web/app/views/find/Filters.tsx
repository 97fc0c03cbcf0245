import type { Message } from '../../../../languages/catalogue.ts';
import { ranked } from '../../state/fuzzy.ts';
import { nameOf } from '../../state/groups.ts';
import { type Filters as AllFilters, type Asked, type Kind, kindsOf, type Named } from '../../state/search-terms.ts';
import type { Texts } from '../../state/texts.ts';
import { Check } from '../parts/Field.tsx';
import { LookUp } from '../talk/LookUp.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { Chip, Radios } from './Chip.tsx';

interface FiltersProps {
  asked: Asked;
  onChange(to: Partial<Asked>): void;
}

const kindNames: Record<Kind, Message> = {
  file: 'A file',
  image: 'A picture',
  link: 'A link',
  reaction: 'A reaction',
  pin: 'Pinned',
  thread: 'In a thread',
  bot: 'From a bot',
};

/** What narrows a search, as chips: where, by whom, with what, when, and in which order. */
export function Filters({ asked, onChange }: FiltersProps) {
  const { t } = useTexts();
  const { filters, sort } = asked;
  const set = (to: Partial<AllFilters>) => onChange({ filters: { ...filters, ...to } });
  const orders = { time: t('Newest first'), fit: t('Most relevant first') };
  return (
    <fieldset class="chips" aria-label={t('Filters')}>
      <PlaceChip asked={asked} onChange={onChange} />
      <PersonChip label={t('From')} asked={asked} value={filters.from} onChange={(from) => set({ from })} />
      <PersonChip
        label={t('Mentions')}
        asked={asked}
        value={filters.mentions}
        onChange={(one) => set({ mentions: one })}
      />
      <KindsChip kinds={filters.kinds} onChange={(kinds) => set({ kinds })} />
      <DatesChip filters={filters} onChange={set} />
      <Chip label={t('Order')} value={orders[sort]}>
        {(close) => (
          <Radios
            name="sort"
            value={sort}
            options={Object.entries(orders).map(([value, label]) => ({ value, label }))}
            onChange={(value) => {
              close();
              onChange({ sort: value === 'fit' ? 'fit' : 'time' });
            }}
          />
        )}
      </Chip>
    </fieldset>
  );
}

const most = 8;
const everywhere = 'everywhere';

/** A server, one of its channels or a conversation, or everywhere. */
function PlaceChip({ asked, onChange }: FiltersProps) {
  const { t } = useTexts();
  const app = useApp();
  const { filters, serverId } = asked;
  const server = app.servers.list.value.find(({ id }) => id === (serverId ?? app.servers.current.value?.id));
  const isInServer = serverId !== null && !filters.in;
  const here = conversationHere(app, useTexts());
  const value = filters.in?.label ?? (isInServer ? (server?.name ?? t('This server')) : t('Everywhere'));
  const choose = (place: Pick<Asked, 'serverId'>, channel: AllFilters['in']) =>
    onChange({ ...place, filters: { ...filters, in: channel } });
  const conversations = [here, filters.in].filter((one) => one !== null);
  const options = new Map(
    [...(server ? [{ value: server.id, label: server.name }] : []), ...conversations].map((one) => [one.value, one]),
  ).set(everywhere, { value: everywhere, label: t('Everywhere') });
  return (
    <Chip label={t('In')} value={value}>
      {(close) => (
        <>
          <Radios
            name="place"
            value={filters.in?.value ?? serverId ?? everywhere}
            options={[...options.values()]}
            onChange={(chosen) => {
              close();
              const conversation = conversations.find((one) => one.value === chosen);
              if (conversation) choose({ serverId }, conversation);
              else choose({ serverId: chosen === everywhere ? null : chosen }, null);
            }}
          />
          <LookUp
            label={t('Another channel')}
            name="channel"
            required={false}
            isFree={false}
            autofocus={false}
            find={async (typed) => channelsLike(app, typed)}
            onTake={(found) => {
              close();
              choose({ serverId }, { ...found, isId: true });
            }}
          />
        </>
      )}
    </Chip>
  );
}

/** The conversation that is shown. */
function conversationHere({ route, servers, people, me }: AppState, texts: Texts): AllFilters['in'] {
  const here = route.value;
  if (here.name === 'dm') {
    const dm = people.dms.value.find(({ id }) => id === here.channelId);
    return dm ? { value: dm.id, label: nameOf(texts, dm, me.value?.id), isId: true } : null;
  }
  if (here.name !== 'channel') return null;
  const channel = servers.channels.value.get(here.serverId)?.find(({ id }) => id === here.channelId);
  return channel ? { value: channel.id, label: `#${channel.name}`, isId: true } : null;
}

/** Channels of all servers, and direct conversations: those that fit best. */
function channelsLike({ destinations }: AppState, typed: string): Named[] {
  const all = destinations.peek().filter(({ channelId }) => channelId !== null);
  return ranked(all, typed)
    .slice(0, most)
    .map(({ channelId, name }) => ({ value: channelId ?? '', label: name }));
}

interface PersonProps {
  label: string;
  asked: Asked;
  value: Named | null;
  onChange(value: Named | null): void;
}

function PersonChip({ label, asked, value, onChange }: PersonProps) {
  const { t } = useTexts();
  const { client, me } = useApp();
  const own = me.value;
  const find = async (typed: string) => {
    const query = typed.trim().replace(/^@/, '');
    if (query === '') return own ? [{ value: own.id, label: t('Me') }] : [];
    const serverId = asked.serverId ?? undefined;
    const people = await client.rest('GET /api/search/people', { query: { query, serverId, limit: most } });
    return people.map(({ id, username, displayName }) => ({ value: id, label: `${displayName} (@${username})` }));
  };
  return (
    <Chip label={label} value={value && (value.value === 'me' ? t('Me') : value.label)} onClear={() => onChange(null)}>
      {(close) => (
        <LookUp
          label={t('Name or username')}
          name="person"
          required={false}
          isFree={false}
          autofocus={false}
          find={find}
          onTake={(found) => {
            close();
            onChange(found);
          }}
        />
      )}
    </Chip>
  );
}

function KindsChip({ kinds, onChange }: { kinds: readonly Kind[]; onChange(kinds: Kind[]): void }) {
  const { t } = useTexts();
  const value = kinds.length > 0 ? kinds.map((kind) => t(kindNames[kind])).join(', ') : null;
  return (
    <Chip label={t('With')} value={value} onClear={() => onChange([])}>
      {() =>
        kindsOf.map((kind) => (
          <Check
            key={kind}
            label={t(kindNames[kind])}
            checked={kinds.includes(kind)}
            onChange={(isOn) => onChange([...kinds.filter((one) => one !== kind), ...(isOn ? [kind] : [])])}
          />
        ))
      }
    </Chip>
  );
}

function DatesChip({ filters, onChange }: { filters: AllFilters; onChange(to: Partial<AllFilters>): void }) {
  const { t } = useTexts();
  const { after, before } = filters;
  const value =
    after && before
      ? t('{after} to {before}', { after, before })
      : after
        ? t('after {day}', { day: after })
        : before && t('before {day}', { day: before });
  const days = [
    { name: 'after', label: t('After') },
    { name: 'before', label: t('Before') },
  ] as const;
  return (
    <Chip label={t('Date')} value={value} onClear={() => onChange({ after: null, before: null })}>
      {() =>
        days.map(({ name, label }) => (
          <label key={name} class="field">
            <span>{label}</span>
            <input
              type="date"
              value={filters[name] ?? ''}
              onChange={(event) => onChange({ [name]: event.currentTarget.value || null })}
            />
          </label>
        ))
      }
    </Chip>
  );
}
