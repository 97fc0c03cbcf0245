import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import { type Section, sectionsOf } from '../../state/categories.ts';
import { pathTo } from '../../state/router.ts';
import { isReadable } from '../../state/servers.ts';
import type { Texts } from '../../state/texts.ts';
import { IconButton } from '../parts/Button.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { useDragging } from './dragging.ts';
import { channelIcon, Entry, Fold, isDrafted, isHere, isQuiet } from './Entry.tsx';

const CreateChannel = lazyDialog(() => import('../server/ChannelDialogs.tsx').then((part) => part.CreateChannel));

/** The channels of a server: the user's favourites, then those in no category, then category by category. */
export function ChannelList({ server }: { server: ServerRecord }) {
  const app = useApp();
  const { servers, categories, favorites } = app;
  const [creating, setCreating] = useState<{ categoryId: string | null } | null>(null);
  const dragging = useDragging(server);
  const sections = sectionsOf({
    serverId: server.id,
    channels: (servers.channels.value.get(server.id) ?? []).filter(isReadable),
    categories: categories.of(server.id),
    favorites: favorites.ids.value,
  });
  return (
    <>
      {sections.filter(isShown(app, server, sections.length)).map((section) => (
        <ChannelSection
          key={section.key}
          server={server}
          section={section}
          dragging={dragging}
          onCreate={() => setCreating({ categoryId: section.category?.id ?? null })}
        />
      ))}
      {creating && <CreateChannel serverId={server.id} {...creating} onClose={() => setCreating(null)} />}
    </>
  );
}

/** Empty ones are there for those alone who fill them. */
const isShown =
  ({ rights }: AppState, server: ServerRecord, count: number) =>
  ({ kind, channels }: Section): boolean => {
    if (channels.length > 0) return true;
    if (kind === 'category') return rights.may(server, 'channel:order') || rights.may(server, 'channel:create');
    // There is always one heading: where nothing but favourites and categories follow, theirs are enough.
    return kind === 'channels' && (count === 2 || rights.may(server, 'channel:create'));
  };

interface SectionProps {
  server: ServerRecord;
  section: Section;
  dragging: ReturnType<typeof useDragging>;
  onCreate(): void;
}

function ChannelSection({ server, section, dragging, onCreate }: SectionProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { key, kind, category, channels } = section;
  const isFolded = app.categories.folded.value.has(key);
  const title = titleOf(texts, section);
  return (
    <>
      <div {...dragging.heading(section)}>
        <Fold
          title={title}
          isFolded={isFolded}
          menu={category ? { kind: 'category', serverId: server.id, categoryId: category.id } : undefined}
          onFold={() => app.categories.fold(key, !isFolded)}
        />
        {kind !== 'favorites' && app.rights.may(server, 'channel:create') && (
          <IconButton
            icon="add"
            label={category ? t('Create a channel in {name}', { name: category.name }) : t('Create a channel')}
            onClick={onCreate}
          />
        )}
      </div>
      <ul>
        {channels
          .filter((channel) => !isFolded || stands(app, channel))
          .map((channel) => (
            <ChannelEntry
              key={channel.id}
              server={server}
              channel={channel}
              dragging={dragging.entry(section, channel)}
            />
          ))}
      </ul>
    </>
  );
}

function titleOf({ t }: Texts, { kind, category }: Section): string {
  if (category) return category.name;
  return kind === 'favorites' ? t('Favourites') : t('Channels');
}

/** Whether a channel is shown in a part that is folded: where the user is, and what they have not read. */
const stands = (app: AppState, { id }: ChannelRecord): boolean =>
  isHere(app, id) || (app.unread.isUnread(id) && !app.preferences.isMuted('channel', id));

interface ChannelEntryProps {
  server: ServerRecord;
  channel: ChannelRecord;
  dragging: ReturnType<ReturnType<typeof useDragging>['entry']>;
}

function ChannelEntry({ server, channel, dragging }: ChannelEntryProps) {
  const app = useApp();
  const { unread, preferences, follows } = app;
  const { id, name } = channel;
  return (
    <Entry
      href={pathTo.channel(server.id, id)}
      icon={channelIcon(channel)}
      name={name}
      count={unread.counts.value.get(id)}
      quiet={isQuiet(app, [channel])}
      replied={follows.isUnread(id)}
      drafted={isDrafted(app, id)}
      current={isHere(app, id)}
      muted={preferences.isMuted('channel', id)}
      menu={{ kind: 'channel', serverId: server.id, channelId: id }}
      dragging={dragging}
    />
  );
}
