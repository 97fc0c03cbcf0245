import { useEffect, useState } from 'preact/hooks';
import { useApp, useTexts } from '../useApp.ts';
import { optionAt } from './command-arguments.ts';

interface HintProps {
  channelId: string;
  /** Begins with a command. */
  text: string;
}

/** What the command takes that is being typed, with what is typed now. */
export function ArgumentsHint({ channelId, text }: HintProps) {
  const { t } = useTexts();
  const { commands } = useApp();
  const [isKnown, know] = useState(false);
  useEffect(() => {
    let isWanted = true;
    void commands.of(channelId).then(() => isWanted && know(true));
    return () => {
      isWanted = false;
    };
  }, [channelId]);
  const found = isKnown ? commands.writtenIn(channelId, text) : null;
  const options = found?.command.options ?? [];
  if (!found || options.length === 0) return null;
  const now = optionAt(options, text.replace(/^\/\S+\s+/, ''));
  const about = now?.type === 'choice' ? now.choices.map(({ label }) => label).join(', ') : now?.description;
  return (
    <p class="arguments" dir="auto">
      <strong>/{found.command.name}</strong>{' '}
      {options.map((option) => (
        <span key={option.name}>
          <code class={option === now ? 'now' : ''}>
            {option.required ? `${option.name}:` : `[${option.name}:]`}
          </code>{' '}
        </span>
      ))}
      <span class="faint">{about || t('Press Enter to run it.')}</span>
    </p>
  );
}
