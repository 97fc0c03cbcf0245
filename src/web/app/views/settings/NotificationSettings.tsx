import { useEffect } from 'preact/hooks';
import { alertsOn, hasAlerts, setAlerts } from '../../state/alerts.ts';
import { listsRead } from '../../state/lists.ts';
import {
  changeStrategy,
  isMuted,
  loadPreferences,
  preferences,
  type Strategy,
  setMuted,
} from '../../state/preferences.ts';
import { reading } from '../../state/reading.ts';
import { channels, loadChannels, servers } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';

const strategies: { value: Strategy; label: string; about: string }[] = [
  {
    value: 'all',
    label: 'Everything that concerns me',
    about: 'Mentions, answers, threads, direct messages and news.',
  },
  { value: 'mention_only', label: 'Less', about: 'As above, without threads that I only took part in.' },
  { value: 'none', label: 'Only what the system has to say', about: 'Friend requests, invitations and the like.' },
];

/** What one wants to be told of. */
export function NotificationSettings() {
  useEffect(() => reading(loadPreferences), []);
  return (
    <>
      <Block title="Notify me of">
        <fieldset class="choices">
          <legend class="hidden">Notify me of</legend>
          {strategies.map(({ value, label, about }) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="strategy"
                value={value}
                checked={preferences.value.strategy === value}
                onChange={() => void attempt(() => changeStrategy(value))}
              />
              <span>
                {label}
                <span class="hint">{about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {hasAlerts() && <Alerts />}
      </Block>
      <Muted />
    </>
  );
}

function Alerts() {
  return (
    <Check
      label={
        <>
          Show it on this device
          <span class="hint">By the system, while you look at something else.</span>
        </>
      }
      checked={alertsOn.value}
      onChange={(on) => void attempt(() => setAlerts(on))}
    />
  );
}

function Muted() {
  const count = servers.value.length;
  useEffect(() => {
    // Without its channels a server can still be muted.
    for (const { id } of servers.peek()) void loadChannels(id).catch(() => {});
  }, [count]);
  return (
    <Block title="Muted" about="Nothing comes from there but what the system has to say.">
      {listsRead.value && count === 0 && <p class="empty">You are in no server yet.</p>}
      <ul class="mutes">
        {servers.value.map(({ id, name }) => (
          <li key={id}>
            <Check
              label={name}
              checked={isMuted('server', id)}
              onChange={(muted) => void attempt(() => setMuted('server', id, muted))}
            />
            <ul>
              {channels.value.get(id)?.map((channel) => (
                <li key={channel.id}>
                  <Check
                    label={`#${channel.name}`}
                    checked={isMuted('channel', channel.id)}
                    onChange={(muted) => void attempt(() => setMuted('channel', channel.id, muted))}
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
