import { useRef, useState } from 'preact/hooks';
import { useOutside } from './floating.ts';
import { Icon } from './Icon.tsx';
import { lazyDialog } from './lazy.tsx';

const EmojiPicker = lazyDialog(() => import('./EmojiPicker.tsx').then((part) => part.EmojiPicker));

interface EmojiButtonProps {
  label: string;
  /** Whether a server's own are offered, as names between colons. */
  withOwn: boolean;
  /** For what is turned on and off: whether an emoji is on. */
  isOn?(emoji: string): boolean;
  onChoose(emoji: string): void;
}

/** A button that opens a choice of emoji, which is loaded then. */
export function EmojiButton({ label, withOwn, isOn, onChoose }: EmojiButtonProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useOutside(root, open, () => setOpen(false));
  const close = () => {
    setOpen(false);
    button.current?.focus();
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
        onClick={() => (open ? close() : setOpen(true))}
      >
        <Icon name="smile" />
      </button>
      {open && <EmojiPicker anchor={button} withOwn={withOwn} isOn={isOn} onChoose={choose} onClose={close} />}
    </span>
  );
}
