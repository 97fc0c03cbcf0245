import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';

type Suggestion = RestAnswer<'GET /api/mentions/suggest'>['suggestions'][number];

const pauseMs = 120;

/** What is being typed right before the cursor: `@al` or `#gen`. */
const unfinished = /(?:^|\s)([@#])([\p{L}\p{N}_.-]{0,32})$/u;

interface Mentioning {
  list: Suggestion[];
  chosen: number;
  /** Takes a key of the text box. @returns whether it was meant for the list */
  press(event: KeyboardEvent): boolean;
  /** The text with a suggestion put into it. */
  take(suggestion: Suggestion): void;
}

/** Suggests whom a half-typed mention could mean. */
export function useMentions(channelId: string, text: string, change: (text: string) => void): Mentioning {
  const [list, setList] = useState<Suggestion[]>([]);
  const [chosen, setChosen] = useState(0);
  const match = unfinished.exec(text);
  const [, trigger, q] = match ?? [];
  useEffect(() => {
    setList([]);
    setChosen(0);
    if (q === undefined) return;
    let wanted = true;
    const query = { channelId, trigger: trigger === '#' ? '#' : '@', q, limit: 6 } as const;
    const timer = setTimeout(async () => {
      // Without suggestions one can type on.
      const found = await parley.rest('GET /api/mentions/suggest', { query }).catch(() => ({ suggestions: [] }));
      if (wanted) setList(found.suggestions);
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [channelId, trigger, q]);
  const take = ({ token }: Suggestion) => {
    change(`${text.slice(0, text.length - (q?.length ?? 0) - 1)}${token} `);
    setList([]);
  };
  const press = (event: KeyboardEvent): boolean => {
    const suggestion = list[chosen];
    if (!suggestion) return false;
    if (event.key === 'ArrowDown') setChosen((chosen + 1) % list.length);
    else if (event.key === 'ArrowUp') setChosen((chosen + list.length - 1) % list.length);
    else if (event.key === 'Enter' || event.key === 'Tab') take(suggestion);
    else if (event.key === 'Escape') setList([]);
    else return false;
    event.preventDefault();
    return true;
  };
  return { list, chosen, press, take };
}

export function Suggestions({ list, chosen, take }: Mentioning) {
  if (list.length === 0) return null;
  return (
    <ul class="suggestions" aria-label="Suggestions">
      {list.map((suggestion, i) => (
        <li key={suggestion.id}>
          <button
            type="button"
            class={i === chosen ? 'chosen' : ''}
            aria-pressed={i === chosen}
            onClick={() => take(suggestion)}
          >
            <strong>{suggestion.label}</strong> <span class="faint">{suggestion.token}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
