import { useEffect } from 'preact/hooks';
import type { Strategy } from '../../state/preferences.ts';
import { Check } from '../parts/Field.tsx';
import { Block } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';

const strategies: { value: Strategy; label: string; about: string }[] = [
  {
    value: 'all',
    label: 'Everything that concerns me',
    about: 'Mentions, answers, threads, direct messages and news.',
  },
  { value: 'mention_only', label: 'Less', about: 'As above, without threads that I only took part in.' },
  { value: 'none', label: 'Only what the system has to say', about: 'Friend requests, invitations and the like.' },
];

/** What the user wants to be notified of. */
export function NotificationSettings() {
  const { connection, preferences, attempt, surroundings } = useApp();
  useEffect(() => connection.load(() => preferences.load()), []);
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
                checked={preferences.current.value.strategy === value}
                onChange={() => void attempt(() => preferences.setStrategy(value))}
              />
              <span>
                {label}
                <span class="hint">{about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {surroundings.alerts.isSupported() && <Alerts />}
      </Block>
      <Muted />
    </>
  );
}

function Alerts() {
  const { alerts, attempt } = useApp();
  return (
    <Check
      label={
        <>
          Show it on this device
          <span class="hint">By the system, while you look at something else.</span>
        </>
      }
      checked={alerts.on.value}
      onChange={(on) => void attempt(() => alerts.set(on))}
    />
  );
}

function Muted() {
  const { servers, lists, preferences, attempt } = useApp();
  const count = servers.list.value.length;
  useEffect(() => {
    // Without its channels a server can still be muted.
    for (const { id } of servers.list.peek()) void servers.loadChannels(id).catch(() => {});
  }, [count]);
  return (
    <Block title="Muted" about="Nothing comes from there but what the system has to say.">
      {lists.loaded.value && count === 0 && <p class="empty">You are in no server yet.</p>}
      <ul class="mutes">
        {servers.list.value.map(({ id, name }) => (
          <li key={id}>
            <Check
              label={name}
              checked={preferences.isMuted('server', id)}
              onChange={(muted) => void attempt(() => preferences.setMuted('server', id, muted))}
            />
            <ul>
              {servers.channels.value.get(id)?.map((channel) => (
                <li key={channel.id}>
                  <Check
                    label={`#${channel.name}`}
                    checked={preferences.isMuted('channel', channel.id)}
                    onChange={(muted) => void attempt(() => preferences.setMuted('channel', channel.id, muted))}
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
