import { useEffect, useState } from 'preact/hooks';
import { useApp, useTexts } from '../useApp.ts';

/** How many ms are left until then; it counts down while it is shown. */
function useLeft(until: number | undefined): number {
  const [now, setNow] = useState(Date.now);
  const left = until === undefined ? 0 : until - Math.max(now, Date.now());
  const isOpen = left > 0;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOpen, until]);
  return Math.max(left, 0);
}

/** Why the user may write nothing in the server at the address, with the time that is left; null: they may. */
export function useTimeout(): string | null {
  const { countdown, t } = useTexts();
  const { restraints, servers } = useApp();
  const serverId = servers.current.value?.id ?? '';
  const timeout = restraints.timeouts.value.get(serverId);
  const left = useLeft(timeout?.until);
  if (!timeout || left === 0) return null;
  const why = timeout.reason ? ` ${t('Reason: {reason}', { reason: timeout.reason })}` : '';
  return t('You are timed out: you can read here, and write again in {time}.', { time: countdown(left) }) + why;
}

/** How slow mode holds the user in a channel: how many seconds they wait between messages, and how many ms from now. */
export function useSlowMode(channelId: string): { seconds: number; left: number } {
  const { restraints, servers } = useApp();
  const slowed = () => {
    const server = servers.current.peek();
    const channel = servers.channels
      .peek()
      .get(server?.id ?? '')
      ?.find(({ id }) => id === channelId);
    return channel?.permissions.includes('message:skip-slow-mode') ? 0 : (channel?.slowModeSeconds ?? 0);
  };
  useEffect(() => restraints.follow(channelId, slowed), [channelId]);
  // It is read again when the lists change.
  void [servers.current.value, servers.channels.value];
  const seconds = slowed();
  const wroteAt = restraints.wroteAt.value.get(channelId);
  const left = useLeft(wroteAt === undefined ? undefined : wroteAt + seconds * 1000);
  return { seconds, left };
}
