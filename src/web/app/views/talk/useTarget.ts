import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../useApp.ts';

/** How long a message stays set apart that a link led to. */
const shownMs = 8000;

interface Target {
  id: string;
  threadId: string | null;
}

interface Address {
  channelId: string;
  messageId: string | null;
  threadId: string | null;
}

/**
 * The message that a link has led to, for as long as it is set apart. Once it is there, the address leads to its conversation
 * again: so the same link can be followed again, and a reload comes back to where one was.
 * @returns its id; null: there is none, or no longer
 */
export function useTarget({ channelId, messageId, threadId }: Address): string | null {
  const { timelines, router } = useApp();
  const [target, setTarget] = useState<Target | null>(messageId === null ? null : { id: messageId, threadId });
  const isFirst = useRef(messageId !== null);
  useEffect(() => {
    if (messageId === null) return;
    const isSet = isFirst.current;
    isFirst.current = false;
    if (isSet) return;
    // Let go first: the same message is brought into view again.
    setTarget(null);
    const timer = setTimeout(() => setTarget({ id: messageId, threadId }));
    return () => clearTimeout(timer);
  }, [messageId, threadId]);
  useEffect(() => {
    if (!target) return;
    const { messages } = timelines.of(channelId, target.threadId);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      if (timer !== undefined || !messages.value.some(({ id }) => id === target.id)) return;
      timer = setTimeout(() => setTarget(null), shownMs);
      router.settle();
      router.remember();
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [target, channelId]);
  return target?.threadId === threadId ? target.id : null;
}
