import { useEffect } from 'preact/hooks';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Level, Strategy } from '../../state/preferences.ts';
import { Check, Select } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { DigestSettings } from './DigestSettings.tsx';
import { Keywords } from './Keywords.tsx';
import { PushSettings } from './PushSettings.tsx';
import { QuietHours } from './QuietHours.tsx';
import { Snooze } from './Snooze.tsx';

const strategies: { value: Strategy; label: Message; about: Message }[] = [
  {
    value: 'all',
    label: 'Everything addressed to me',
    about: 'Mentions, replies, threads you follow, direct messages and invitations.',
  },
  {
    value: 'mention_only',
    label: 'Mentions, replies and direct messages',
    about: 'Threads only if you started them or chose to follow them.',
  },
  { value: 'none', label: 'System notices only', about: 'Friend requests, invitations and the like.' },
];

/** What the user wants to be notified of, when and how. */
export function NotificationSettings() {
  const { t } = useTexts();
  const { connection, preferences, attempt, surroundings } = useApp();
  useEffect(() => connection.load(() => preferences.load()), []);
  return (
    <>
      <Snooze />
      <Block title={t('Notify me about')}>
        <fieldset class="choices">
          <legend class="hidden">{t('Notify me about')}</legend>
          {strategies.map(({ value, label, about }) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="strategy"
                value={value}
                checked={preferences.current.value.strategy === value}
                onChange={() => void attempt(() => preferences.change({ strategy: value }))}
              />
              <span>
                {t(label)}
                <span class="hint">{t(about)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {surroundings.alerts.isSupported() && <Alerts />}
      </Block>
      <PushSettings />
      <Keywords />
      <DigestSettings />
      <QuietHours />
      <Levels />
    </>
  );
}

function Alerts() {
  const { t } = useTexts();
  const { alerts, attempt } = useApp();
  return (
    <Check
      label={
        <>
          {t('Desktop notifications')}
          <span class="hint">{t('Shown by your device while you are not looking at Parley.')}</span>
        </>
      }
      checked={alerts.on.value}
      onChange={(on) => void attempt(() => alerts.set(on))}
    />
  );
}

const usual = 'usual';
const chosen: { value: string; label: Message }[] = [
  { value: 'all', label: 'Every message' },
  { value: 'mentions', label: 'Mentions' },
  { value: 'nothing', label: 'Nothing' },
];
const inServer: typeof chosen = [{ value: usual, label: 'Default' }, ...chosen];
const inChannel: typeof chosen = [{ value: usual, label: 'Same as the server' }, ...chosen];

const levelOf = (value: string): Level =>
  value === 'all' || value === 'mentions' || value === 'nothing' ? value : null;

function Levels() {
  const { labelled, t } = useTexts();
  const { servers, lists, preferences, attempt } = useApp();
  const count = servers.list.value.length;
  useEffect(() => {
    // Without its channels a server still has a level.
    for (const { id } of servers.list.peek()) void servers.loadChannels(id).catch(() => {});
  }, [count]);
  const choose = (place: 'server' | 'channel', id: string) => (value: string) =>
    void attempt(() => preferences.setLevel(place, id, levelOf(value)));
  return (
    <Block
      title={t('By server and channel')}
      about={t(
        'Choose “Every message” to be notified of every message there, even if it does not mention you. With “Nothing” you only get system notices.',
      )}
    >
      {lists.loaded.value && count === 0 && <p class="empty">{t('You are in no server yet.')}</p>}
      <ul class="levels">
        {servers.list.value.map(({ id, name }) => (
          <li key={id}>
            <Select
              label={name}
              value={preferences.levelOf('server', id) ?? usual}
              options={labelled(inServer)}
              onChange={choose('server', id)}
            />
            <ul>
              {servers.channels.value.get(id)?.map((channel) => (
                <li key={channel.id}>
                  <Select
                    label={`#${channel.name}`}
                    value={preferences.levelOf('channel', channel.id) ?? usual}
                    options={labelled(inChannel)}
                    onChange={choose('channel', channel.id)}
                  />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Block>
  );
}
