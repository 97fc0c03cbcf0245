import { useEffect, useId, useState } from 'preact/hooks';
import { parley } from '../../state/client.ts';

const pauseMs = 120;
const most = 8;

/** Those of a channel, or of all of its server if that is a public one, whose username begins so. */
async function peopleLike(q: string, channelId: string) {
  const query = { channelId, trigger: '@', q, limit: most } as const;
  const { suggestions } = await parley.rest('GET /api/mentions/suggest', { query });
  return suggestions.filter(({ kind }) => kind === 'user');
}

const keyOf = (username: string): string => username.normalize('NFC').toLowerCase();

/** Whose username it is. @throws Error for nobody's */
export async function authorCalled(username: string, channelId: string): Promise<string> {
  const found = await peopleLike(username, channelId);
  const author = found.find((one) => keyOf(one.username ?? '') === keyOf(username));
  if (!author) throw new Error(`Nobody here has the username @${username}.`);
  return author.targetId;
}

/** A field for who said it; the browser suggests people while one types. */
export function Author({ channelId }: { channelId: string }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [people, setPeople] = useState<Awaited<ReturnType<typeof peopleLike>>>([]);
  useEffect(() => {
    if (!typed) return setPeople([]);
    let wanted = true;
    const timer = setTimeout(async () => {
      // Without suggestions one can type on.
      const found = await peopleLike(typed, channelId).catch(() => []);
      if (wanted) setPeople(found);
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [typed, channelId]);
  return (
    <div class="field">
      <label for={id}>From</label>
      <input
        type="text"
        id={id}
        name="author"
        list={`${id}-people`}
        placeholder="@username"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        maxLength={64}
        onInput={(event) => setTyped(event.currentTarget.value.trim().replace(/^@/, ''))}
      />
      <datalist id={`${id}-people`}>
        {people.map(({ targetId, username, label }) => (
          <option key={targetId} value={`@${username}`}>
            {label}
          </option>
        ))}
      </datalist>
    </div>
  );
}
