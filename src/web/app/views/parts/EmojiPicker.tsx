import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isTouched } from '../../browser.ts';
import { commonEmoji, type EmojiWords, emojiFor, emojiGroups, englishWords, wordsOf } from '../../state/all-emoji.ts';
import { isComposing } from '../../state/keyboard.ts';
import type { OwnEmoji } from '../../state/own-emoji.ts';
import { skinTones, toned } from '../../state/skin-tones.ts';
import type { Texts } from '../../state/texts.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { moveAmongEmoji } from './emoji-keys.ts';
import { useBeside } from './floating.ts';
import { OwnEmojiPicture } from './OwnEmoji.tsx';
import { moveInToolbar } from './toolbar.ts';

export { emojiCalled, emojiNamed } from '../../state/all-emoji.ts';

interface PickerProps {
  anchor: RefObject<HTMLElement | null>;
  withOwn: boolean;
  isOn?: ((emoji: string) => boolean) | undefined;
  onChoose(emoji: string): void;
  onClose(): void;
}

/** One that can be chosen: a common emoji, or the name of a server's own. */
interface Choice {
  emoji: string;
  name: string;
  own?: OwnEmoji;
}

interface Group {
  label: string;
  list: readonly Choice[];
}

/** How many of those that a text means are shown. */
const maxFound = 200;

/**
 * All emoji by groups, the server's own before the common ones, and a field to search them by their names, in English too.
 * Arrow keys move among them, Enter in the field takes the first, and Escape closes it.
 */
export function EmojiPicker({ anchor, withOwn, isOn, onChoose, onClose }: PickerProps) {
  const { t } = useTexts();
  const app = useApp();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const words = useWords();
  const groups = useGroups(withOwn, typed, words);
  useBeside(anchor, box, true, 'end');
  useLayoutEffect(() => {
    // On a phone the keyboard would cover what there is to choose from.
    (isTouched() ? optionsIn(list.current)[0] : field.current)?.focus({ preventScroll: true });
  }, []);
  const choose = (emoji: string | undefined) => {
    if (emoji === undefined) return;
    app.recentEmoji.note(emoji);
    onChoose(emoji);
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const inField = event.target === field.current;
    if (event.key === 'Escape') onClose();
    else if (inField && event.key === 'ArrowDown') optionsIn(list.current)[0]?.focus();
    // It may stand in a form, which is not to be sent.
    else if (inField && event.key === 'Enter') choose(groups[0]?.list[0]?.emoji);
    else return;
    event.preventDefault();
  };
  return (
    <div class="emoji-picker" popover="manual" ref={box} role="dialog" aria-label={t('Emoji')} onKeyDown={press}>
      <div class="find">
        <input
          ref={field}
          type="text"
          autocomplete="off"
          aria-label={t('Find an emoji')}
          placeholder={t('Find an emoji')}
          maxLength={60}
          enterkeyhint="done"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <SkinTone />
      </div>
      <Options
        groups={groups}
        isEnglish={words === englishWords}
        isOn={isOn}
        list={list}
        onChoose={choose}
        onLeave={() => field.current?.focus()}
      />
      {typed.trim() === '' && <Jumps groups={groups} list={list} />}
    </div>
  );
}

/** The names in the language of the user, once they are there. */
function useWords(): EmojiWords {
  const { language } = useTexts();
  const [words, setWords] = useState(englishWords);
  useEffect(() => {
    let isWanted = true;
    void wordsOf(language).then((loaded) => isWanted && setWords(loaded));
    return () => {
      isWanted = false;
    };
  }, [language]);
  return words;
}

function useGroups(withOwn: boolean, typed: string, words: EmojiWords): Group[] {
  const texts = useTexts();
  const app = useApp();
  const text = typed.trim();
  return text === '' ? allGroups(texts, app, withOwn, words) : [found(texts, app, withOwn, words, text)];
}

/** With the colour of skin that the user has chosen. */
function choices(list: readonly Choice[], { recentEmoji }: AppState): Choice[] {
  const tone = recentEmoji.tone.value;
  return list.map(({ emoji, name }) => ({ emoji: toned(emoji, tone), name }));
}

function allGroups({ t }: Texts, app: AppState, withOwn: boolean, words: EmojiWords): Group[] {
  const { ownEmoji, recentEmoji } = app;
  const recent = recentEmoji.list.value.flatMap((emoji): Choice[] => {
    const name = /^:(.+):$/.exec(emoji)?.[1];
    if (name === undefined) return [commonEmoji(emoji, words)];
    const own = withOwn ? ownEmoji.named(name) : undefined;
    return own ? [choiceOf(own)] : [];
  });
  const own = withOwn ? ownEmoji.here.value.map(choiceOf) : [];
  const common = emojiGroups(words).map(({ label, list }) => ({ label: t(label), list: choices(list, app) }));
  return [{ label: t('Recently used'), list: recent }, { label: t('This server'), list: own }, ...common].filter(
    ({ list }) => list.length > 0,
  );
}

function found({ t }: Texts, app: AppState, withOwn: boolean, words: EmojiWords, text: string): Group {
  const own = withOwn ? app.ownEmoji.like(text.toLowerCase().replaceAll(':', '')).map(choiceOf) : [];
  return { label: t('Results'), list: [...own, ...choices(emojiFor(text, words), app)].slice(0, maxFound) };
}

const choiceOf = (own: OwnEmoji): Choice => ({ emoji: `:${own.name}:`, name: own.name, own });

const optionsIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role=option]') ?? []),
];

/** The colour of skin of all that have one, behind a button; this device remembers it. */
function SkinTone() {
  const { t } = useTexts();
  const { recentEmoji } = useApp();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const choose = (tone: string) => {
    recentEmoji.setTone(tone);
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="icon tone"
        aria-label={t('Skin tone')}
        title={t('Skin tone')}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {toned('✋', recentEmoji.tone.value)}
      </button>
      {open && (
        <div class="tones" role="toolbar" aria-label={t('Skin tone')} onKeyDown={moveInToolbar}>
          {skinTones.map((tone) => (
            <button
              key={tone}
              type="button"
              class="icon"
              aria-pressed={tone === recentEmoji.tone.value}
              tabIndex={tone === recentEmoji.tone.value ? 0 : -1}
              onClick={() => choose(tone)}
            >
              {toned('✋', tone)}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

interface OptionsProps {
  groups: readonly Group[];
  /** Whether the names are in English. */
  isEnglish: boolean;
  isOn: ((emoji: string) => boolean) | undefined;
  list: RefObject<HTMLDivElement | null>;
  onChoose(emoji: string | undefined): void;
  /** Up from the first row, or with a letter. */
  onLeave(): void;
}

function Options({ groups, isEnglish, isOn, list, onChoose, onLeave }: OptionsProps) {
  const { t } = useTexts();
  const emojiAt = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLElement>('[role=option]')?.dataset.emoji : undefined;
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') onChoose(emojiAt(event));
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) return onLeave();
    else if (!list.current || !moveAmongEmoji(list.current, event.key, onLeave)) return;
    event.preventDefault();
  };
  return (
    <div
      class="all"
      ref={list}
      role="listbox"
      tabIndex={-1}
      aria-label={t('Emoji')}
      aria-multiselectable={isOn !== undefined}
      onClick={(event) => onChoose(emojiAt(event))}
      onKeyDown={press}
    >
      {groups.map(({ label, list }, at) => (
        <fieldset key={label} aria-label={label}>
          <div class="label" aria-hidden="true">
            {label}
          </div>
          <div class="cells" lang={isEnglish ? 'en' : undefined}>
            {list.map(({ emoji, name, own }, i) => (
              <div
                key={emoji}
                role="option"
                tabIndex={at + i === 0 ? 0 : -1}
                data-emoji={emoji}
                aria-label={name}
                aria-selected={isOn?.(emoji) ?? false}
                title={name}
              >
                {own ? <OwnEmojiPicture {...own} /> : emoji}
              </div>
            ))}
          </div>
        </fieldset>
      ))}
      {groups.every(({ list }) => list.length === 0) && (
        <p class="empty" role="status">
          {t('No results')}
        </p>
      )}
    </div>
  );
}

/** Buttons that lead to the groups. */
function Jumps({ groups, list }: { groups: readonly Group[]; list: RefObject<HTMLDivElement | null> }) {
  const { t } = useTexts();
  const jump = (at: number) => {
    const group = list.current?.querySelectorAll('fieldset')[at];
    group?.scrollIntoView({ block: 'start' });
    group?.querySelector<HTMLElement>('[role=option]')?.focus({ preventScroll: true });
  };
  return (
    <div class="jumps" role="toolbar" aria-label={t('Groups of emoji')} onKeyDown={moveInToolbar}>
      {groups.map(({ label, list: [first] }, at) => (
        <button
          key={label}
          type="button"
          class="icon"
          aria-label={label}
          title={label}
          tabIndex={at === 0 ? 0 : -1}
          onClick={() => jump(at)}
        >
          {at === 0 ? '🕘' : first?.own ? <OwnEmojiPicture {...first.own} /> : first?.emoji}
        </button>
      ))}
    </div>
  );
}
