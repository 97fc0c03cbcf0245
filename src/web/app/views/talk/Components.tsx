import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import type { Component, Place, Use, UsedComponent, Values } from '../../state/interactions.ts';
import type { Timeline } from '../../state/timeline.ts';
import { Button } from '../parts/Button.tsx';
import { lazyDialog } from '../parts/lazy.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { mayUsually } from './permissions.ts';

const FormDialog = lazyDialog(() => import('./FormDialog.tsx').then((part) => part.FormDialog));

/** What this page knows how to show. */
const knownVersion: number = 1;

/** What people can use of a bot's message. */
export function Components({ message }: { message: Message }) {
  const { t } = useTexts();
  const { components } = message;
  if (!components) return null;
  if (components.version !== knownVersion) {
    return <p class="hint">{t('This message has more than this page can show. Load the page again.')}</p>;
  }
  return (
    <section class="components" aria-label={t('Actions of {name}', { name: message.author.displayName })}>
      {components.items.map((item, at) => (
        <Item key={item.type === 'link' ? `link ${at}` : item.id} message={message} item={item} />
      ))}
      <Progress message={message} items={components.items} />
    </section>
  );
}

function Item({ message, item }: { message: Message; item: Component }) {
  if (item.type !== 'link') return <Used message={message} item={item} />;
  return (
    <a class="button quiet" href={item.url} target="_blank" rel="noopener noreferrer" dir="auto">
      {item.label} ↗
    </a>
  );
}

function Used({ message, item }: { message: Message; item: UsedComponent }) {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const { interactions } = app;
  const isSending = interactions.isSending(message.id, item.id);
  const isBusy = isSending || interactions.of(message.id, item.id)?.form === null;
  const isClosed = item.disabled || !mayUsually(app, message.channelId, 'message:react');
  const use = (values?: Values) => interactions.use(message.id, item.id, values);
  const asks = item.type === 'form' || (item.type === 'select' && item.max > 1);
  const press = () => {
    // What waits for its bot is not done twice: the server sees to that.
    if (isSending) return;
    if (asks) setOpen(true);
    else void app.attempt(() => use());
  };
  if (item.type === 'select' && item.max === 1) {
    const choose = (value: string) => void app.attempt(() => use({ [item.id]: [value] }));
    return <Choice item={item} disabled={isClosed || isSending} onChoose={choose} />;
  }
  const style = item.type === 'select' || item.style === 'plain' ? 'quiet' : item.style;
  return (
    <>
      {/* It is not disabled while its bot works, since it would lose the focus. */}
      <button type="button" class={`button ${style}`} dir="auto" disabled={isClosed} aria-busy={isBusy} onClick={press}>
        {item.label}
        {asks && '…'}
      </button>
      {open && <FormDialog form={formOf(item)} send={use} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A list to choose several of is asked for as a form is. */
function formOf(item: UsedComponent) {
  if (item.type === 'form') return item.form;
  const { id, label } = item;
  if (item.type === 'button') return { title: label, fields: [] };
  const { options, min, max } = item;
  return { title: label, fields: [{ type: 'choice' as const, id, label, options, min, max, required: min > 0 }] };
}

interface ChoiceProps {
  item: Extract<UsedComponent, { type: 'select' }>;
  disabled: boolean;
  onChoose(value: string): void;
}

/** Nothing of it stays chosen: what came of it, the bot says. */
function Choice({ item, disabled, onChoose }: ChoiceProps) {
  return (
    <select
      aria-label={item.label}
      disabled={disabled}
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = '';
        if (value !== '') onChoose(value);
      }}
    >
      <option value="">{item.label}</option>
      {item.options.map(({ value, label, description }) => (
        <option key={value} value={value}>
          {description ? `${label} – ${description}` : label}
        </option>
      ))}
    </select>
  );
}

/** How far the bot is with what the user did here. */
function Progress({ message, items }: { message: Message; items: readonly Component[] }) {
  const { t } = useTexts();
  const { interactions } = useApp();
  const { displayName: name } = message.author;
  const uses = items.flatMap((item) => (item.type === 'link' ? [] : (interactions.of(message.id, item.id) ?? [])));
  const use = uses.find(({ state }) => state === 'working') ?? uses.find(({ state }) => state === 'waiting');
  const working = use?.note ? t('{name}: {note}…', { name, note: use.note }) : t('{name} is working…', { name });
  return (
    <>
      <p class="faint" role="status">
        {use && (use.state === 'working' ? working : t('Waiting for {name}…', { name }))}
      </p>
      <FillIn messageId={message.id} place={message} />
    </>
  );
}

interface FillInProps {
  /** Null: what bots ask for commands. */
  messageId: string | null;
  place: Place;
}

/** Opens what bots ask of the user here, on whichever device it began. */
export function FillIn({ messageId, place }: FillInProps) {
  const { t } = useTexts();
  const { interactions } = useApp();
  const open = (use: Use) => {
    interactions.asked.value = use;
  };
  return (
    <>
      {interactions.formsFor(messageId, place).map(({ use, form: { title } }) => (
        <Button key={use.id} label={t('Fill in {title}…', { title })} kind="quiet" onClick={() => open(use)} />
      ))}
    </>
  );
}

/** The form that a bot has answered with, in the place where it was asked. */
export function AskedForm({ timeline: { channelId, threadId } }: { timeline: Timeline }) {
  const { interactions } = useApp();
  useEffect(() => interactions.start(), [interactions]);
  const use = interactions.asked.value;
  if (!use?.form || use.channelId !== channelId || use.threadId !== threadId) return null;
  const close = () => {
    interactions.asked.value = null;
  };
  const send = (values: Values) => interactions.submit(use, values);
  return <FormDialog key={use.id} form={use.form} send={send} onClose={close} />;
}
