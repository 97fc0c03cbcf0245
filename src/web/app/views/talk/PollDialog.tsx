import type { MessageInput } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import type { Translate } from '../../state/texts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useTexts } from '../useApp.ts';

const hourMs = 3_600_000;
const ends: readonly { value: string; label: Message }[] = [
  { value: '0', label: 'When it is closed by hand' },
  { value: '1', label: 'In an hour' },
  { value: '8', label: 'In 8 hours' },
  { value: '24', label: 'In a day' },
  { value: '72', label: 'In 3 days' },
  { value: '168', label: 'In a week' },
  { value: '720', label: 'In 30 days' },
];

interface PollDialogProps {
  /** Sends it. */
  onAsk(poll: NonNullable<MessageInput['poll']>): void;
  onClose(): void;
}

/** Asks for a poll, which is sent at once. */
export function PollDialog({ onAsk, onClose }: PollDialogProps) {
  const { labelled, t } = useTexts();
  const ask = async (fields: Fields) => {
    onAsk(pollIn(t, fields));
    onClose();
  };
  return (
    <Dialog title={t('New poll')} onClose={onClose}>
      <Form action={t('Send the poll')} work={ask}>
        <Field label={t('Question')} name="question" maxlength={300} required autofocus />
        <TextArea label={t('Options')} name="options" hint={t('One per line, 2 to 10.')} rows={4} required />
        <Check label={t('Several options may be chosen')} name="multiple" />
        <Check label={t('Anonymous: nobody sees who voted for what')} name="anonymous" />
        <Select label={t('Closes')} name="end" options={labelled(ends)} />
      </Form>
    </Dialog>
  );
}

/** @throws Error for options that there may not be */
function pollIn(t: Translate, { text, isChecked }: Fields): NonNullable<MessageInput['poll']> {
  const lines = text('options').split('\n');
  const options = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (options.length < 2 || options.length > 10) throw new Error(t('Enter 2 to 10 options, one per line.'));
  if (new Set(options).size < options.length) throw new Error(t('Two options are the same.'));
  if (options.some((option) => option.length > 100)) throw new Error(t('An option has at most 100 characters.'));
  const hours = Number(text('end'));
  const closesAt = hours > 0 ? new Date(Date.now() + hours * hourMs).toISOString() : null;
  const kind = { multiple: isChecked('multiple'), anonymous: isChecked('anonymous') };
  return { question: text('question'), options, ...kind, closesAt };
}
