import { useRef, useState } from 'preact/hooks';
import { Failure } from '../../state/toasts.ts';
import { useApp } from '../useApp.ts';
import { useOutside } from './floating.ts';
import { Icon } from './Icon.tsx';

interface EmojiButtonProps {
  label: string;
  /** Whether a server's own are offered, as names between colons. */
  withOwn: boolean;
  /** For what is turned on and off: whether an emoji is on. */
  isOn?(emoji: string): boolean;
  onChoose(emoji: string): void;
}

type Picker = typeof import('./EmojiPicker.tsx').EmojiPicker;

/** A button that opens a choice of emoji, which is loaded then. */
export function EmojiButton({ label, withOwn, isOn, onChoose }: EmojiButtonProps) {
  const { attempt } = useApp();
  const [Choice, setChoice] = useState<Picker | null>(null);
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useOutside(root, open, () => setOpen(false));
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const show = async () => {
    const { EmojiPicker } = await import('./EmojiPicker.tsx').catch(() => {
      throw new Failure('The emoji could not be loaded. Try again.');
    });
    setChoice(() => EmojiPicker);
    setOpen(true);
  };
  const choose = (emoji: string) => {
    close();
    onChoose(emoji);
  };
  return (
    <span class="choosing" ref={root}>
      <button
        ref={button}
        type="button"
        class="icon"
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : void attempt(show))}
      >
        <Icon name="smile" />
      </button>
      {open && Choice && <Choice anchor={button} withOwn={withOwn} isOn={isOn} onChoose={choose} onClose={close} />}
    </span>
  );
}
