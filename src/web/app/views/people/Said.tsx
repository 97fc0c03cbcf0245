import { useComputed } from '@preact/signals';
import type { CustomStatus } from '../../../../client/index.ts';
import { useApp, useTexts } from '../useApp.ts';

/** What someone says of themselves, as text; empty: nothing. */
export const saidText = (status: CustomStatus | null | undefined): string =>
  [status?.emoji, status?.text].filter(Boolean).join(' ');

/** The emoji of what someone says of themselves, and the rest for screen readers and under the pointer. */
export function SaidEmoji({ userId }: { userId: string }) {
  const { presence } = useApp();
  // Others change theirs often: it is drawn again only for its own change.
  const status = useComputed(() => presence.said.value.get(userId)).value;
  if (!status) return null;
  return (
    <span class="said" role="img" aria-label={saidText(status)} title={saidText(status)}>
      {status.emoji ?? '💬'}
    </span>
  );
}

/** The same as the topic of the conversation with them. */
export function SaidTopic({ userId }: { userId: string }) {
  const { presence } = useApp();
  const status = useComputed(() => presence.said.value.get(userId)).value;
  if (!status) return null;
  return (
    <p class="topic" dir="auto">
      {saidText(status)}
    </p>
  );
}

/** What someone says of themselves, whole. */
export function Said({ userId }: { userId: string }) {
  const { fullTime, t } = useTexts();
  const status = useApp().presence.said.value.get(userId);
  if (!status) return null;
  return (
    <p class="said" dir="auto">
      {saidText(status)}
      {status.until && <span class="faint"> {t('until {time}', { time: fullTime(status.until) })}</span>}
    </p>
  );
}
