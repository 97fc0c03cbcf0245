import type { CustomStatus } from '../../../../client/index.ts';
import { emojiOf } from '../../state/emoji.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { fullTime } from '../parts/time.ts';
import { useApp } from '../useApp.ts';

const minuteMs = 60_000;

const inMinutes = (count: number) => new Date(Date.now() + count * minuteMs);

/** The last moment of a day. @param days after today */
function endOfDay(days: number): Date {
  const at = new Date();
  at.setDate(at.getDate() + days);
  at.setHours(23, 59, 59, 0);
  return at;
}

const ends = [
  { value: '30', label: 'In 30 minutes', at: () => inMinutes(30) },
  { value: '60', label: 'In 1 hour', at: () => inMinutes(60) },
  { value: '240', label: 'In 4 hours', at: () => inMinutes(240) },
  { value: 'today', label: 'Today', at: () => endOfDay(0) },
  // Sunday is 0, and ends the week.
  { value: 'week', label: 'This week', at: () => endOfDay((7 - new Date().getDay()) % 7) },
] as const;
const never = { value: 'never', label: 'Never' };
const asItIs = { value: 'as-it-is', label: 'As it is' };
type End = (typeof ends)[number]['value'] | 'never';

const usual: { emoji: string; text: string; end: End }[] = [
  { emoji: '📅', text: 'In a meeting', end: '60' },
  { emoji: '🚌', text: 'On the way', end: '30' },
  { emoji: '🤒', text: 'Out sick', end: 'today' },
  { emoji: '🌴', text: 'On holiday', end: 'never' },
  { emoji: '🏡', text: 'Working from home', end: 'today' },
];

const timeOf = (end: string): string | null =>
  ends
    .find(({ value }) => value === end)
    ?.at()
    .toISOString() ?? null;

/** What someone says of themselves, as text; empty: nothing. */
export const saidText = (status: CustomStatus | null | undefined): string =>
  [status?.emoji, status?.text].filter(Boolean).join(' ');

/** The emoji of what someone says of themselves, and the rest for screen readers and under the pointer. */
export function SaidEmoji({ userId }: { userId: string }) {
  const { presence } = useApp();
  const status = presence.said.value.get(userId);
  if (!status) return null;
  return (
    <span class="said" role="img" aria-label={saidText(status)} title={saidText(status)}>
      {status.emoji ?? '💬'}
    </span>
  );
}

/** What someone says of themselves, whole. */
export function Said({ userId }: { userId: string }) {
  const status = useApp().presence.said.value.get(userId);
  if (!status) return null;
  return (
    <p class="said" dir="auto">
      {saidText(status)}
      {status.until && <span class="faint"> until {fullTime(status.until)}</span>}
    </p>
  );
}

/** Sets what the user says of themselves. */
export function StatusDialog({ onClose }: { onClose(): void }) {
  const { client, me, presence } = useApp();
  const id = me.value?.id ?? '';
  const now = presence.said.value.get(id);
  const set = async (emoji: string, text: string, end: string) => {
    const until = end === asItIs.value ? (now?.until ?? null) : timeOf(end);
    const body = { emoji: emoji === '' ? null : emojiOf(emoji), text: text === '' ? null : text, until };
    presence.reportSaid(id, await client.rest('PUT /api/auth/me/custom-status', { body }));
    onClose();
  };
  const clear = async () => {
    await client.rest('DELETE /api/auth/me/custom-status');
    presence.reportSaid(id, null);
    onClose();
  };
  return (
    <Dialog title="Set a status" onClose={onClose}>
      <Suggestions onChoose={set} />
      <Form
        action="Save"
        work={({ text }: Fields) => set(text('emoji'), text('text'), text('end'))}
        beside={now && <ClearButton onClear={clear} />}
      >
        <Field
          label="Emoji"
          name="emoji"
          value={now?.emoji ?? ''}
          maxlength={32}
          hint="One emoji, or its name: :wave:"
        />
        <Field label="Status" name="text" value={now?.text ?? ''} maxlength={100} />
        <Select
          label="Clear after"
          name="end"
          value={now ? asItIs.value : 'today'}
          options={[...(now ? [asItIs] : []), ...ends, never].map(({ value, label }) => ({ value, label }))}
        />
      </Form>
    </Dialog>
  );
}

function ClearButton({ onClear }: { onClear(): Promise<void> }) {
  const { attempt } = useApp();
  return <Button label="Clear" kind="quiet" onClick={() => void attempt(onClear)} />;
}

function Suggestions({ onChoose }: { onChoose(emoji: string, text: string, end: End): Promise<void> }) {
  const { attempt } = useApp();
  return (
    <fieldset class="suggested">
      <legend class="hidden">Common choices</legend>
      {usual.map(({ emoji, text, end }) => (
        <Button
          key={text}
          label={`${emoji} ${text}`}
          kind="quiet"
          onClick={() => void attempt(() => onChoose(emoji, text, end))}
        />
      ))}
    </fieldset>
  );
}
