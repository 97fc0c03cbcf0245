import { useId, useState } from 'preact/hooks';
import type { CommandOption, CommandPlace, SlashCommand } from '../../state/commands.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, type Option, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { LookUp } from './LookUp.tsx';

/** A command that someone begins to invoke. */
export interface Begun {
  command: SlashCommand;
  /** What was typed after its name, for the first text that it asks for. */
  rest: string;
}

interface CommandDialogProps extends Begun {
  place: CommandPlace;
  onClose(): void;
}

/** Texts of more than this have several lines. */
const longText = 300;

/** Asks for what a command of a bot takes, and invokes it. */
export function CommandDialog({ command, rest, place, onClose }: CommandDialogProps) {
  const { t } = useTexts();
  const { commands, interactions, showToast } = useApp();
  const [nonce] = useState(() => commands.newNonce());
  const [files] = useState(() => new Map<string, File>());
  const options = command.options ?? [];
  const first = options.find(({ type }) => type === 'text' || type === 'number');
  const bot = command.botUser.displayName;
  const invoke = async (fields: Fields) => {
    // The bot may answer with a form, which opens here.
    interactions.noteOwn(await commands.invoke(place, command, { fields, files, nonce }));
    showToast(t('/{command} was sent to {name}.', { command: command.name, name: bot }));
    onClose();
  };
  return (
    <Dialog title={`/${command.name}`} onClose={onClose}>
      <p class="faint" dir="auto">
        {command.description ? `${command.description} · ${bot}` : bot}
      </p>
      <Form action={t('Run it')} work={invoke}>
        {options.map((option, at) => (
          <OptionField
            key={option.name}
            option={option}
            command={command}
            place={place}
            value={option === first ? rest : ''}
            autofocus={at === 0}
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
  if (option.type === 'choice') return <Choices {...common} choices={option.choices} />;
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

function Choices({ choices, required, label, name, hint }: CommonProps & { choices: readonly Option[] }) {
  const { t } = useTexts();
  return (
    <Select
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
