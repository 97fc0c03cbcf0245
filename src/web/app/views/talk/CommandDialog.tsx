import { useEffect, useId, useState } from 'preact/hooks';
import type { CommandOption, CommandPlace, SlashCommand } from '../../state/commands.ts';
import { errorText } from '../../state/toasts.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, type Option, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form, Problem } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { argumentsIn, isComplete } from './command-arguments.ts';
import { LookUp } from './LookUp.tsx';

/** A command that someone begins to invoke. */
export interface Begun {
  command: SlashCommand;
  /** What was typed behind its name. */
  rest: string;
}

interface CommandDialogProps extends Begun {
  /** It is invoked once, however often that is tried. */
  nonce: string;
  place: CommandPlace;
  onClose(): void;
}

/** Texts of more than this have several lines. */
const longText = 300;

/** Invokes a command of a bot, and asks before for what it takes and was not typed. */
export function CommandDialog({ command, rest, nonce, place, onClose }: CommandDialogProps) {
  const texts = useTexts();
  const { t } = texts;
  const { commands, interactions, showToast } = useApp();
  const [files] = useState(() => new Map<string, File>());
  const options = command.options ?? [];
  const [given] = useState(() => argumentsIn(options, rest));
  const [isRunning, setRunning] = useState(() => isComplete(options, given));
  const [problem, setProblem] = useState<string | null>(null);
  const bot = command.botUser.displayName;
  const invoke = async (fields: Fields) => {
    // The bot may answer with a form, which opens here.
    interactions.noteOwn(await commands.invoke(place, command, { fields, files, nonce }));
    showToast(t('/{command} was sent to {name}.', { command: command.name, name: bot }));
    onClose();
  };
  useEffect(() => {
    if (!isRunning) return;
    const text = (name: string) => given.values.get(name) ?? '';
    invoke({ text, raw: text, isChecked: () => false }).catch((error) => {
      setProblem(errorText(error, texts));
      setRunning(false);
    });
  }, []);
  if (isRunning) return null;
  const missing = options.find(({ name, required }) => required && !given.values.has(name)) ?? options[0];
  return (
    <Dialog title={`/${command.name}`} onClose={onClose}>
      <p class="faint" dir="auto">
        {command.description ? `${command.description} · ${bot}` : bot}
      </p>
      <Problem text={problem} />
      <Form action={t('Run it')} work={invoke}>
        {options.map((option) => (
          <OptionField
            key={option.name}
            option={option}
            command={command}
            place={place}
            value={given.values.get(option.name) ?? ''}
            autofocus={option === missing}
            onFile={(file) => (file ? files.set(option.name, file) : files.delete(option.name))}
          />
        ))}
      </Form>
    </Dialog>
  );
}

interface OptionFieldProps {
  option: CommandOption;
  command: SlashCommand;
  place: CommandPlace;
  value: string;
  autofocus: boolean;
  onFile(file: File | undefined): void;
}

function OptionField({ option, command, place, value, autofocus, onFile }: OptionFieldProps) {
  const { t } = useTexts();
  const { commands } = useApp();
  const { name, required } = option;
  const label = required ? name : t('{name} (optional)', { name });
  const common = { label, name, required, autofocus, hint: option.description || undefined };
  if (option.type === 'choice') return <Choices {...common} choices={option.choices} value={value} />;
  if (option.type === 'file') return <FileField {...common} onFile={onFile} />;
  if (option.type === 'user' || option.type === 'channel') {
    const trigger = option.type === 'user' ? '@' : '#';
    return <LookUp {...common} isFree={false} find={(typed) => commands.named(place, trigger, typed)} />;
  }
  const maxlength = option.type === 'text' ? (option.maxLength ?? undefined) : undefined;
  const limited = { ...common, value, maxlength };
  if (option.completes) {
    return <LookUp {...limited} isFree find={(typed) => commands.complete(place, command, name, typed)} />;
  }
  if (option.type === 'number') return <Field {...limited} inputmode={option.integer ? 'numeric' : 'decimal'} />;
  if ((maxlength ?? 0) > longText) return <TextArea {...limited} />;
  return <Field {...limited} minlength={option.minLength ?? 0} />;
}

interface CommonProps {
  label: string;
  name: string;
  hint: string | undefined;
  required: boolean;
  autofocus: boolean;
}

interface ChoicesProps extends CommonProps {
  choices: readonly Option[];
  value: string;
}

function Choices({ choices, value, required, label, name, hint }: ChoicesProps) {
  const { t } = useTexts();
  const [chosen, choose] = useState(value);
  return (
    <Select
      value={chosen === '' ? undefined : chosen}
      onChange={choose}
      label={label}
      name={name}
      hint={hint}
      options={required ? choices : [{ value: '', label: t('none') }, ...choices]}
    />
  );
}

function FileField(props: CommonProps & { onFile(file: File | undefined): void }) {
  const { label, hint, required, autofocus, onFile } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        required={required}
        autofocus={autofocus}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
