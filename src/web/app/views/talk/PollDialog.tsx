import type { MessageInput } from '../../../../client/index.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

const hourMs = 3_600_000;
const ends = [
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
  const ask = async (fields: Fields) => {
    onAsk(pollIn(fields));
    onClose();
  };
  return (
    <Dialog title="New poll" onClose={onClose}>
      <Form action="Send the poll" work={ask}>
        <Field label="Question" name="question" maxlength={300} required autofocus />
        <TextArea label="Options" name="options" hint="One on each line, 2 to 10." rows={4} required />
        <Check label="Several options may be chosen" name="multiple" />
        <Check label="Anonymous: nobody sees who voted for what" name="anonymous" />
        <Select label="It closes" name="end" options={ends} />
      </Form>
    </Dialog>
  );
}

/** @throws Error for options that there may not be */
function pollIn({ text, isChecked }: Fields): NonNullable<MessageInput['poll']> {
  const lines = text('options').split('\n');
  const options = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (options.length < 2 || options.length > 10) throw new Error('Type 2 to 10 options, each on a line of its own.');
  if (new Set(options).size < options.length) throw new Error('Two options are the same.');
  if (options.some((option) => option.length > 100)) throw new Error('An option has at most 100 characters.');
  const hours = Number(text('end'));
  const closesAt = hours > 0 ? new Date(Date.now() + hours * hourMs).toISOString() : null;
  const kind = { multiple: isChecked('multiple'), anonymous: isChecked('anonymous') };
  return { question: text('question'), options, ...kind, closesAt };
}
