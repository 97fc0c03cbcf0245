import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { unfinishedName } from '../../../../contract/mentions/grammar.ts';
import type { SlashCommand } from '../../state/commands.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { OwnEmoji } from '../../state/own-emoji.ts';
import { OwnEmojiPicture } from '../parts/OwnEmoji.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { typeInto } from './typing.ts';

interface Suggestion {
  id: string;
  label: string;
  about: string;
  /** Replaces what was typed. */
  token: string;
  /** A picture in place of the label. */
  emoji?: OwnEmoji;
  /** A command that asks for something, instead of being sent as text. */
  command?: SlashCommand;
}

const pauseMs = 120;
const most = 6;

/** What is being typed before the caret beside a name: `:sm`, or `/wea` at the start of the text. */
const unfinished =
  /(?:^|[\s(])(?<colon>:)(?<emoji>[\p{L}\p{M}\d_+-]{2,32})$|^(?<slash>\/)(?<command>[\p{L}\p{N}_-]{0,32})$/u;

/** The word being typed at a place in a text; a name as it would be found there once the text is sent. */
function wordAt(text: string, caret: number): Asked | null {
  const name = unfinishedName(text, caret);
  if (name) return { trigger: name.sign, typed: name.typed, start: name.start, end: caret };
  const { colon, emoji, slash, command } = unfinished.exec(text.slice(0, caret))?.groups ?? {};
  const trigger = colon ?? slash;
  const typed = emoji ?? command;
  if (trigger === undefined || typed === undefined) return null;
  return { trigger, typed, start: caret - typed.length - 1, end: caret };
}

interface Suggesting {
  list: Suggestion[];
  chosen: number;
  /** To be called when something was typed into the text box. */
  typed(): void;
  /** Handles a key of the text box. @returns whether it was for the list */
  press(event: KeyboardEvent): boolean;
  /** Inserts a suggestion into the text. */
  take(suggestion: Suggestion): void;
}

type TextBox = RefObject<HTMLTextAreaElement | null>;

/**
 * Suggests people, channels, emoji or commands for a word being typed.
 * @param begin begins a command that is not sent as text; without it all are
 */
export function useSuggestions(
  channelId: string,
  box: TextBox,
  change: (text: string) => void,
  begin?: (command: SlashCommand) => void,
): Suggesting {
  const app = useApp();
  const { asked, ask, forget } = useAsked(box);
  const [{ list, chosen }, setFound] = useFound(channelId, asked);
  const choose = (at: number) => setFound((found) => ({ ...found, chosen: (at + list.length) % list.length }));
  const take = ({ token, command }: Suggestion, isWord = false) => {
    const text = box.current;
    if (!text || !asked) return;
    if (command && begin && !isWord) {
      text.setRangeText('', asked.start, asked.end, 'end');
      forget();
      change(text.value);
      return begin(command);
    }
    const after = /^\s/.test(text.value.slice(asked.end)) ? '' : ' ';
    typeInto(text, token + after, asked.start, asked.end);
    // After the space that was there already.
    if (after === '') text.setSelectionRange(text.selectionEnd + 1, text.selectionEnd + 1);
    forget();
    change(text.value);
  };
  const press = (event: KeyboardEvent): boolean => {
    const suggestion = list[chosen];
    if (!suggestion || isComposing(event)) return false;
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    // With Tab what a command takes is typed behind it.
    else if (event.key === 'Enter' || event.key === 'Tab') take(suggestion, event.key === 'Tab');
    else if (event.key === 'Escape') setFound(nothing);
    else return false;
    event.preventDefault();
    return true;
  };
  const typed = () => {
    const text = box.current;
    if (text) void finishEmoji(app, text);
    ask();
  };
  return { list, chosen, typed, press, take: (suggestion) => take(suggestion) };
}

/** The part of a word before the caret. */
interface Asked {
  trigger: string;
  typed: string;
  start: number;
  end: number;
}

/** The word being typed, until the caret moves: moving through a text must not open suggestions. */
function useAsked(box: TextBox) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const forget = () => setAsked(null);
  useEffect(() => {
    const isThere = ({ end }: Asked) => box.current?.selectionStart === end && box.current.selectionEnd === end;
    const look = () => setAsked((now) => (now && isThere(now) ? now : null));
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, [box]);
  const ask = () => {
    const text = box.current;
    setAsked(text && wordAt(text.value, text.selectionEnd));
  };
  return { asked, ask, forget };
}

interface Found {
  /** The word, with the sign before it. */
  word: string;
  list: Suggestion[];
  chosen: number;
}

const nothing: Found = { word: '', list: [], chosen: 0 };

/** The suggestions for the word being typed. Those for an earlier word would take the next key, so they are dropped. */
function useFound(channelId: string, asked: Asked | null) {
  const app = useApp();
  const [found, setFound] = useState(nothing);
  const { trigger, typed } = asked ?? {};
  const word = asked ? asked.trigger + asked.typed : '';
  useEffect(() => {
    setFound(nothing);
    if (trigger === undefined || typed === undefined) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const list = await find(app, channelId, trigger, typed);
      if (wanted) setFound({ word: trigger + typed, list, chosen: 0 });
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [channelId, trigger, typed]);
  return [found.word === word ? found : nothing, setFound] as const;
}

/** Suggestions are optional, so failures are ignored. */
async function find(app: AppState, channelId: string, trigger: string, typed: string): Promise<Suggestion[]> {
  if (trigger === '/') return findCommands(app, channelId, typed.toLowerCase());
  if (trigger === ':') return findEmoji(app, typed);
  const query = { channelId, trigger: trigger === '#' ? '#' : '@', q: typed, limit: most } as const;
  const { suggestions } = await app.client
    .rest('GET /api/mentions/suggest', { query })
    .catch(() => ({ suggestions: [] }));
  return suggestions.map(({ id, label, token }) => ({ id, label, token, about: token }));
}

const loadEmoji = () => import('../parts/EmojiPicker.tsx');

/** The server's own first. */
async function findEmoji({ ownEmoji, recentEmoji, texts }: AppState, typed: string): Promise<Suggestion[]> {
  const own = ownEmoji.like(typed).map((emoji) => {
    const token = `:${emoji.name}:`;
    return { id: emoji.id, label: '', about: token, token, emoji };
  });
  // Without a connection the list of emoji may not be there.
  const found = await loadEmoji()
    .then(({ emojiNamed }) => emojiNamed(typed, texts.peek().language, recentEmoji.tone.peek()))
    .catch(() => []);
  const common = found.slice(0, most).map(({ emoji, about }) => ({ id: emoji, label: emoji, about, token: emoji }));
  return [...own, ...common].slice(0, most);
}

/** The name of an emoji that is written as a whole becomes that, if nothing was typed meanwhile. */
async function finishEmoji({ ownEmoji, recentEmoji }: AppState, box: HTMLTextAreaElement): Promise<void> {
  const { value, selectionEnd: end } = box;
  const name = finished.exec(value.slice(0, end))?.[1];
  if (name === undefined || ownEmoji.named(name) || isInCode(value.slice(0, end))) return;
  const emoji = await loadEmoji()
    .then(({ emojiCalled }) => emojiCalled(name, recentEmoji.tone.peek()))
    .catch(() => undefined);
  if (emoji === undefined || box.value !== value || box.selectionEnd !== end) return;
  typeInto(box, emoji, end - name.length - 2, end);
}

/** Whether a block of code that begins before is still open. */
const isInCode = (before: string): boolean => before.split('```').length % 2 === 0;

const finished = /(?:^|[\s(]):([a-z\d_+-]{2,32}):$/;

async function findCommands(app: AppState, channelId: string, typed: string): Promise<Suggestion[]> {
  const commands = await app.commands.of(channelId);
  const fitting = commands.filter(({ name, aliases }) =>
    [name, ...aliases].some((one) => one.toLowerCase().startsWith(typed)),
  );
  return fitting.slice(0, most).map((command) => {
    const { agentId, name, description, options, botUser } = command;
    const named = { id: `${agentId}-${name}`, label: `/${name}`, token: `/${name}` };
    const asks = (options ?? []).map((option) => (option.required ? option.name : `[${option.name}]`)).join(' ');
    const about = [asks, description, botUser.displayName].filter(Boolean).join(' · ');
    return { ...named, about, ...(options ? { command } : {}) };
  });
}

/** The attributes that connect a text box to its list. */
export function listOf(id: string, { list, chosen }: Suggesting) {
  if (list.length === 0) return { 'aria-autocomplete': 'list' } as const;
  return {
    'aria-autocomplete': 'list',
    'aria-controls': id,
    'aria-activedescendant': optionId(id, chosen),
  } as const;
}

/** @param id of the list, which the text box refers to */
export function Suggestions({ id, list, chosen, take }: Suggesting & { id: string }) {
  const { t } = useTexts();
  if (list.length === 0) return null;
  return (
    <div class="suggestions" id={id} role="listbox" aria-label={t('Suggestions')}>
      {list.map((suggestion, i) => (
        <div
          key={suggestion.id}
          id={optionId(id, i)}
          role="option"
          tabIndex={-1}
          class={i === chosen ? 'chosen' : ''}
          aria-selected={i === chosen}
          // Before the text box loses the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            take(suggestion);
          }}
        >
          <strong>{suggestion.emoji ? <OwnEmojiPicture {...suggestion.emoji} /> : suggestion.label}</strong>{' '}
          <span class="faint">{suggestion.about}</span>
        </div>
      ))}
    </div>
  );
}

const optionId = (listId: string, at: number): string => `${listId}-${at}`;

/** Makes a text box as high as its text, up to a limit in the style sheet. */
export function useGrowth(ref: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    box.style.height = 'auto';
    // Without text it would be as high as its placeholder.
    if (text !== '') box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
  }, [ref, text]);
}
