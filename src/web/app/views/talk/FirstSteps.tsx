import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import { othersIn } from '../../state/groups.ts';
import type { Texts } from '../../state/texts.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { peopleIn } from '../people/Discover.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { useConversationInfo } from './ChannelHead.tsx';
import { LevelDialog } from './LevelDialog.tsx';

const InvitePeople = lazyDialog(() => import('../server/InvitePeople.tsx').then((part) => part.InvitePeople));
const ChannelMembers = lazyDialog(() => import('../server/MemberList.tsx').then((part) => part.ChannelMembers));
const ChannelDialogs = lazyDialog(() => import('../server/ChannelDialogs.tsx').then((part) => part.ChannelDialogs));

/** A conversation with fewer messages has only begun. */
const fewMessages = 4;

/** What a conversation is about and who is in it, and while it has only begun, what to do first. */
export function FirstSteps({ timeline }: { timeline: Timeline }) {
  const { t } = useTexts();
  const { servers, me } = useApp();
  const { channel, dm } = useConversationInfo(timeline.channelId);
  const server = servers.current.value;
  // For as long as one looks on: what goes away above what one reads would move that.
  const [hasBegun] = useState(() => timeline.messages.peek().length >= fewMessages);
  if (timeline.threadId) return <p>{t('The thread begins here.')}</p>;
  if (dm) {
    const others = othersIn(dm, me.value?.id);
    return (
      <>
        <p class="faces" aria-hidden="true">
          {others.slice(0, 6).map((user) => (
            <Avatar key={user.id} user={user} />
          ))}
        </p>
        <p>
          {dm.kind === 'dm'
            ? t('Only the two of you can read what is written here.')
            : t('Only the people in this group can read what is written here.')}
        </p>
      </>
    );
  }
  return (
    <>
      <p dir="auto">{channel?.topic || t('This is the beginning of the conversation.')}</p>
      {server && channel && <Members server={server} channel={channel} />}
      {server && channel && !hasBegun && <Steps server={server} channel={channel} timeline={timeline} />}
    </>
  );
}

/** Who can read a channel. */
function Members({ server, channel }: { server: ServerRecord; channel: ChannelRecord }) {
  const texts = useTexts();
  return (
    <p class="members">
      <Icon name={channel.isPrivate ? 'lock' : 'friends'} />{' '}
      {channel.isPrivate ? texts.t('Private: only those who are added see it') : peopleIn(texts, server)}
    </p>
  );
}

interface Step {
  icon: IconName;
  label: string;
  about: string;
  isDone: boolean;
  run(): void;
}

interface StepsProps {
  server: ServerRecord;
  channel: ChannelRecord;
  timeline: Timeline;
}

type Opened = 'invite' | 'people' | 'topic' | 'level';

/** The first three things to do in a channel, as far as the user may; what is done is ticked. */
function Steps({ server, channel, timeline }: StepsProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const [open, setOpen] = useState<Opened | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <ol class="first-steps" aria-label={t('First steps')}>
        {stepsFor(texts, app, { server, channel, timeline }, setOpen).map((step) => (
          <li key={step.label}>
            <button type="button" class={step.isDone ? 'step done' : 'step'} onClick={step.run}>
              <span class="sign">
                <Icon name={step.isDone ? 'check' : step.icon} />
              </span>
              <strong>
                {step.label}
                {step.isDone && <span class="hidden"> {t('(done)')}</span>}
              </strong>
              <span class="faint">{step.about}</span>
            </button>
          </li>
        ))}
      </ol>
      {open === 'invite' && <InvitePeople server={server} onClose={close} />}
      {open === 'people' && <ChannelMembers channel={channel} onClose={close} />}
      {open === 'topic' && <ChannelDialogs task={{ what: 'edit', channel }} onClose={close} />}
      {open === 'level' && <LevelDialog place="channel" id={channel.id} onClose={close} />}
    </>
  );
}

function stepsFor(
  { t }: Texts,
  { rights, me }: AppState,
  { server, channel, timeline }: StepsProps,
  open: (what: Opened) => void,
): Step[] {
  const own = me.value?.id;
  const mayInvite = server.inviteCode !== undefined || rights.may(server, 'invite:create');
  const others: Step = mayInvite
    ? {
        icon: 'add',
        label: t('Invite people'),
        about: t('Send a link to those you want here.'),
        isDone: server.memberCount > 1,
        run: () => open('invite'),
      }
    : {
        icon: 'friends',
        label: t('See who is here'),
        about: t('Everyone who can read this channel.'),
        isDone: false,
        run: () => open('people'),
      };
  const about: Step = rights.mayIn(channel, 'channel:update')
    ? {
        icon: 'edit',
        label: t('Add a topic'),
        about: t('One line that says what belongs here.'),
        isDone: Boolean(channel.topic),
        run: () => open('topic'),
      }
    : {
        icon: 'bell',
        label: t('Choose your notifications'),
        about: t('Every message, mentions only, or nothing.'),
        isDone: false,
        run: () => open('level'),
      };
  const write: Step = {
    icon: 'chat',
    label: t('Write the first message'),
    about: t('Say hello, or what you are working on.'),
    isDone: timeline.messages.value.some(({ authorId }) => authorId === own),
    run: () => document.getElementById('composer')?.focus(),
  };
  return [others, about, ...(channel.permissions.includes('message:post') ? [write] : [])];
}
