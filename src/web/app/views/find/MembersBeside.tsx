import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ChannelRecord } from '../../../../client/index.ts';
import type { Group, SmallUser } from '../../state/groups.ts';
import type { Member } from '../../state/servers.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { More } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Menu, type MenuItem } from '../parts/Menu.tsx';
import { saidText } from '../people/Said.tsx';
import { AddMember, OnlineCount } from '../server/MemberList.tsx';
import { HighestRole } from '../server/RoleBadge.tsx';
import { useChannelTasks } from '../server/useChannelTasks.ts';
import { AuthorButton } from '../talk/AuthorButton.tsx';
import { channelAt } from '../talk/permissions.ts';
import { useApp, useTexts } from '../useApp.ts';

/** How many are rendered at a time: thousands at once would block the page for seconds. */
const step = 100;

/** Those in the conversation that is shown. */
export function MembersBeside() {
  const { t } = useTexts();
  const app = useApp();
  const here = app.route.value;
  if (here.name === 'dm') {
    const dm = app.people.dms.value.find(({ id }) => id === here.channelId);
    return dm?.kind === 'group' ? <GroupMembers group={dm} /> : null;
  }
  const channel = here.name === 'channel' ? channelAt(app, here.channelId) : null;
  if (channel) return <ChannelMembersBeside key={channel.id} channel={channel} />;
  return <p class="empty">{t('One moment…')}</p>;
}

function GroupMembers({ group }: { group: Group }) {
  const { me } = useApp();
  const list = group.members.map((user): Person => {
    return { key: user.id, user, beside: null, tasks: user.id === me.value?.id ? [] : ['talk'] };
  });
  return <People list={list} isLarge={false} />;
}

/** The members of a channel. Those who may add others, and take out whom they stand above. */
function ChannelMembersBeside({ channel }: { channel: ChannelRecord }) {
  const { me, presence } = useApp();
  const { server, roles, list, mayAdd, add, mayRemove, remove } = useChannelTasks(channel);
  const people = list?.map((member): Person => {
    const tasks: Task[] = member.userId === me.value?.id ? [] : ['talk'];
    if (mayRemove(member)) tasks.push('remove');
    const beside = <HighestRole member={member} list={roles} />;
    return { key: member.userId, user: member.user, nickname: member.nickname, beside, tasks };
  });
  return (
    <>
      {server && !channel.isPrivate && <OnlineCount serverId={server.id} />}
      {server && channel.isPrivate && mayAdd && list && (
        <AddMember serverId={server.id} present={new Set(list.map(({ userId }) => userId))} onAdd={add} />
      )}
      <People
        list={people ?? null}
        // Who is online is known of those in view alone.
        isLarge={server !== null && presence.online.value.has(server.id)}
        onRemove={remove}
      />
    </>
  );
}

type Task = 'talk' | 'remove';

interface Person {
  key: string;
  user: Member['user'] | SmallUser;
  nickname?: string | null;
  beside: ComponentChildren;
  tasks: readonly Task[];
}

interface PeopleProps {
  /** Null until it is loaded. */
  list: readonly Person[] | null;
  /** Whether there are too many to tell who is online. */
  isLarge: boolean;
  onRemove?(userId: string): void;
}

/** People with a search by name: those who are online, and the others. */
function People({ list, isLarge, onRemove }: PeopleProps) {
  const { number, t } = useTexts();
  const { presence } = useApp();
  const [sought, setSought] = useState('');
  const [most, setMost] = useState(step);
  const text = sought.trim().toLowerCase();
  const found = (list ?? []).filter(({ nickname, user }) =>
    `${nickname ?? ''} ${user.displayName} @${user.username}`.toLowerCase().includes(text),
  );
  const isOnline = ({ user }: Person) => (presence.statuses.value.get(user.id) ?? 'offline') !== 'offline';
  const groups = isLarge
    ? [{ key: 'all', name: null, all: found }]
    : [
        {
          key: 'online',
          name: t('Online · {count}', { count: number(found.filter(isOnline).length) }),
          all: found.filter(isOnline),
        },
        {
          key: 'offline',
          name: t('Offline · {count}', { count: number(found.filter((one) => !isOnline(one)).length) }),
          all: found.filter((one) => !isOnline(one)),
        },
      ];
  let room = most;
  return (
    <>
      <input
        type="search"
        aria-label={t('Find a member')}
        placeholder={t('Find a member')}
        value={sought}
        onInput={(event) => {
          setSought(event.currentTarget.value);
          setMost(step);
        }}
      />
      <div class="results">
        {groups.map(({ key, name, all }) => {
          const shown = all.slice(0, room);
          room -= shown.length;
          if (shown.length === 0) return null;
          return (
            <section key={key}>
              {name && <h3>{name}</h3>}
              <ul class="people found">
                {shown.map((one) => (
                  <PersonRow key={one.key} person={one} onRemove={onRemove} />
                ))}
              </ul>
            </section>
          );
        })}
        {found.length > most && <More onMore={async () => setMost(most + step)} />}
        {found.length === 0 && <p class="empty">{list ? t('No members match your search.') : t('One moment…')}</p>}
      </div>
    </>
  );
}

function PersonRow({ person, onRemove }: { person: Person; onRemove: PeopleProps['onRemove'] }) {
  const { t } = useTexts();
  const { attempt, people, presence } = useApp();
  const { user, beside, tasks } = person;
  const said = saidText(presence.said.value.get(user.id));
  const items: Record<Task, MenuItem> = {
    talk: { label: t('Message'), icon: 'chat', run: () => void attempt(() => people.talkTo(user.id)) },
    remove: { label: t('Remove from the channel'), icon: 'leave', danger: true, run: () => onRemove?.(user.id) },
  };
  return (
    <li>
      <Avatar user={user} size="small" present />
      <span class="who">
        <AuthorButton author={user} />
        <span class="faint">
          @{user.username}
          {said && ` · ${said}`}
        </span>
      </span>
      {beside}
      {tasks.length > 0 && (
        <Menu label={t('Actions for {name}', { name: user.displayName })} items={tasks.map((task) => items[task])}>
          <Icon name="more" />
        </Menu>
      )}
    </li>
  );
}
