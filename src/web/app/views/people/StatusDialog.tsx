import { useRef } from 'preact/hooks';
import type { Message } from '../../../../languages/catalogue.ts';
import { emojiOf } from '../../state/emoji.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { EmojiButton } from '../parts/EmojiButton.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

type End = '30' | '60' | '240' | 'today' | 'week' | 'never';

const inMinutes = (count: number) => new Date(Date.now() + count * minuteMs);

const today = ({ localTime }: Texts): Date => new Date(`${localTime(new Date()).slice(0, 10)}T00:00Z`);

/** The last moment of a day, by the clock of the user. @param days after today */
function endOfDay(texts: Texts, days: number): Date {
  const day = new Date(today(texts).getTime() + days * dayMs);
  return texts.instantOf(`${day.toISOString().slice(0, 10)}T23:59:59`) ?? day;
}

const ends: readonly { value: End; label: Message; at: ((texts: Texts) => Date) | null }[] = [
  { value: '30', label: 'In 30 minutes', at: () => inMinutes(30) },
  { value: '60', label: 'In 1 hour', at: () => inMinutes(60) },
  { value: '240', label: 'In 4 hours', at: () => inMinutes(240) },
  { value: 'today', label: 'Today', at: (texts) => endOfDay(texts, 0) },
  // Sunday is 0, and ends the week.
  { value: 'week', label: 'This week', at: (texts) => endOfDay(texts, (7 - today(texts).getUTCDay()) % 7) },
  { value: 'never', label: 'Never', at: null },
];
const asItIs = { value: 'as-it-is', label: 'Keep as it is' } as const;

const usual: readonly { emoji: string; text: Message; end: End }[] = [
  { emoji: '📅', text: 'In a meeting', end: '60' },
  { emoji: '🚌', text: 'Commuting', end: '30' },
  { emoji: '🤒', text: 'Out sick', end: 'today' },
  { emoji: '🌴', text: 'On holiday', end: 'never' },
  { emoji: '🏡', text: 'Working from home', end: 'today' },
];

const timeOf = (texts: Texts, end: string): string | null =>
  ends
    .find(({ value }) => value === end)
    ?.at?.(texts)
    .toISOString() ?? null;

/** Sets what the user says of themselves. */
export function StatusDialog({ onClose }: { onClose(): void }) {
  const texts = useTexts();
  const { labelled, t } = texts;
  const { client, me, presence } = useApp();
  const id = me.value?.id ?? '';
  const now = presence.said.value.get(id);
  const set = async (emoji: string, text: string, end: string) => {
    const until = end === asItIs.value ? (now?.until ?? null) : timeOf(texts, end);
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
    <Dialog title={t('Set a status')} onClose={onClose}>
      <Suggestions onChoose={set} />
      <Form
        action={t('Save')}
        work={({ text }: Fields) => set(text('emoji'), text('text'), text('end'))}
        beside={now && <ClearButton onClear={clear} />}
      >
        <EmojiField value={now?.emoji ?? ''} />
        <Field label={t('Status')} name="text" value={now?.text ?? ''} maxlength={100} />
        <Select
          label={t('Clear after')}
          name="end"
          value={now ? asItIs.value : 'today'}
          options={labelled(now ? [asItIs, ...ends] : ends)}
        />
      </Form>
    </Dialog>
  );
}

/** A field for one emoji that everyone has, with a choice of them. */
function EmojiField({ value }: { value: string }) {
  const { t } = useTexts();
  const root = useRef<HTMLDivElement>(null);
  const choose = (emoji: string) => {
    const field = root.current?.querySelector<HTMLInputElement>('input[name=emoji]');
    if (field) field.value = emoji;
  };
  return (
    <div class="emoji-field" ref={root}>
      <Field label={t('Emoji')} name="emoji" value={value} maxlength={32} hint={t('One emoji, or its name: :wave:')} />
      <EmojiButton label={t('Choose an emoji')} withOwn={false} onChoose={choose} />
    </div>
  );
}

function ClearButton({ onClear }: { onClear(): Promise<void> }) {
  const { t } = useTexts();
  const { attempt } = useApp();
  return <Button label={t('Clear')} kind="quiet" onClick={() => void attempt(onClear)} />;
}

function Suggestions({ onChoose }: { onChoose(emoji: string, text: string, end: End): Promise<void> }) {
  const { t } = useTexts();
  const { attempt } = useApp();
  return (
    <fieldset class="suggested">
      <legend class="hidden">{t('Common choices')}</legend>
      {usual.map(({ emoji, text, end }) => (
        <Button
          key={text}
          label={`${emoji} ${t(text)}`}
          kind="quiet"
          onClick={() => void attempt(() => onChoose(emoji, t(text), end))}
        />
      ))}
    </fieldset>
  );
}
