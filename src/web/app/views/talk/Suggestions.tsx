import { useEffect, useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';
import { commandsOf } from '../../state/commands.ts';

interface Suggestion {
  id: string;
  label: string;
  about: string;
  /** What takes the place of what was typed. */
  token: string;
}

const pauseMs = 120;
const most = 6;

/** What is being typed right before the end: `@al`, `#gen`, or `/wea` where nothing stands before it. */
const unfinished = /(?:^|\s)([@#])([\p{L}\p{N}_.-]{0,32})$|^(\/)([\p{L}\p{N}_-]{0,32})$/u;

export interface Suggesting {
  list: Suggestion[];
  chosen: number;
  /** Takes a key of the text box. @returns whether it was meant for the list */
  press(event: KeyboardEvent): boolean;
  /** The text with a suggestion put into it. */
  take(suggestion: Suggestion): void;
}

/** Suggests whom, what or which command a half-typed word could mean. */
export function useSuggestions(channelId: string, text: string, change: (text: string) => void): Suggesting {
  const [list, setList] = useState<Suggestion[]>([]);
  const [chosen, setChosen] = useState(0);
  const match = unfinished.exec(text);
  const trigger = match?.[1] ?? match?.[3];
  const typed = match?.[2] ?? match?.[4];
  useEffect(() => {
    setList([]);
    setChosen(0);
    if (trigger === undefined || typed === undefined) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const found = await find(channelId, trigger, typed);
      if (wanted) setList(found);
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [channelId, trigger, typed]);
  const take = ({ token }: Suggestion) => {
    change(`${text.slice(0, text.length - (typed?.length ?? 0) - 1)}${token} `);
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

/** Without suggestions one can type on, so it does not matter why there are none. */
async function find(channelId: string, trigger: string, typed: string): Promise<Suggestion[]> {
  if (trigger === '/') return findCommands(channelId, typed.toLowerCase());
  const query = { channelId, trigger: trigger === '#' ? '#' : '@', q: typed, limit: most } as const;
  const { suggestions } = await parley.rest('GET /api/mentions/suggest', { query }).catch(() => ({ suggestions: [] }));
  return suggestions.map(({ id, label, token }) => ({ id, label, token, about: token }));
}

async function findCommands(channelId: string, typed: string): Promise<Suggestion[]> {
  const commands = await commandsOf(channelId);
  const fitting = commands.filter(({ name, aliases }) =>
    [name, ...aliases].some((one) => one.toLowerCase().startsWith(typed)),
  );
  return fitting.slice(0, most).map(({ agentId, name, description, botUser }) => ({
    id: `${agentId}-${name}`,
    label: `/${name}`,
    about: description ? `${description} · ${botUser.displayName}` : botUser.displayName,
    token: `/${name}`,
  }));
}

/** @param id of the list, by which the text box points to it */
export function Suggestions({ id, list, chosen, take }: Suggesting & { id: string }) {
  if (list.length === 0) return null;
  return (
    <div class="suggestions" id={id} role="listbox" aria-label="Suggestions">
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
          <strong>{suggestion.label}</strong> <span class="faint">{suggestion.about}</span>
        </div>
      ))}
    </div>
  );
}

export const optionId = (listId: string, at: number): string => `${listId}-${at}`;
