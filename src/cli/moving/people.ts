import { z } from 'zod';
import { userById } from '../../access/user.table.ts';
import { displayNameSchema, emailSchema, maxDisplayName } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { nameFrom } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { createUser, namingConflicts } from '../../features/accounts/new-user.ts';
import { fillSkeletons } from '../../features/accounts/usernames.table.ts';
import { lockServer } from '../../features/members/roster.ts';
import {
  type HolderRow,
  holderOf,
  insertPerson,
  isMemberOf,
  joinSilently,
  knownPeople,
  recountMembers,
} from './people.table.ts';
import { countStaged, stagedOf } from './staging.table.ts';
import type { Work } from './work.ts';

const personSchema = z.object({
  username: z.string(),
  displayName: z.string(),
  email: z.string().nullable(),
  isBot: z.boolean(),
  isGone: z.boolean(),
});

type Person = z.output<typeof personSchema>;

/**
 * Gives each person of an export an account: a placeholder, or, if the operator chose that, the account that has proven the
 * same address. An export can say anything of anyone: nothing but that choice puts its words into the mouth of someone here.
 */
export async function writePeople(work: Work): Promise<void> {
  const { rows } = work.database;
  while ((await work.database.quickTransaction(fillSkeletons.step)) > 0);
  const total = await countStaged(rows, work.id, 'person');
  let done = 0;
  for await (const page of stagedOf(rows, work.id, 'person')) {
    const known = await knownPeople(
      rows,
      work.id,
      page.map(({ key }) => key),
    );
    for (const { key, data } of page) {
      work.progress.at('People', ++done, total);
      if (!known.has(key)) await writePerson(work, key, personSchema.parse(data));
    }
  }
  await work.changes.run(async (change) => {
    await lockServer(change.rows, work.serverId);
    await recountMembers(change.rows, work.serverId);
  });
}

async function writePerson(work: Work, key: string, person: Person): Promise<void> {
  const email = addressOf(work, key, person);
  const holder = email === null ? undefined : await holderOf(work.database.rows, email, work.serverId);
  if (holder && work.choices.match) {
    const reason = reasonAgainst(holder);
    if (reason === null) return matched(work, key, holder.id);
    work.report.problem(`an account with the same address did not become the author: ${reason}`, key);
  } else if (holder) {
    work.report.problem(
      'someone has an account here already: import-people says who, and claim-import gives them what they wrote',
      `${key}, ${holder.username}`,
    );
  }
  const own = holder || !work.choices.addresses ? null : email;
  await placeholder(work, key, person, { email: own, candidateId: holder?.id ?? null });
}

/** Those who left come without an address, as from our own exports. */
function addressOf({ report }: Work, key: string, { email, isBot, isGone }: Person): string | null {
  if (email === null || isBot || isGone) return null;
  const parsed = emailSchema.safeParse(email);
  if (parsed.success) return parsed.data;
  report.problem('an address is none', key);
  return null;
}

/** Why an account must not become the author; null: it may. */
function reasonAgainst({ isVerified, isOperator, isSuspended, isBanned }: HolderRow): string | null {
  if (!isVerified) return 'nobody has proven that it is theirs';
  if (isOperator) return 'it is that of an operator';
  if (isSuspended) return 'it is suspended';
  return isBanned ? 'it is banned from the server' : null;
}

async function matched(work: Work, key: string, userId: string): Promise<void> {
  await work.changes.run(async (change) => {
    if (!(await isMemberOf(change.rows, work.serverId, userId))) {
      await work.services.roster.add(change, await userById(change.rows, userId), work.serverId, 'member');
    }
    await insertPerson(change.rows, work.id, key, { userId, isPlaceholder: false, candidateId: null });
  });
  work.report.count('people who have an account here');
}

async function placeholder(
  work: Work,
  key: string,
  person: Person,
  { email, candidateId }: { email: string | null; candidateId: string | null },
): Promise<void> {
  const { username, isBot, isGone } = person;
  const add = (suggestion: string) =>
    namingConflicts(true, () =>
      work.changes.run(async (change: Change) => {
        const shown = displayNameOf(person);
        const user = await createUser(
          change,
          {
            email,
            emailVerified: false,
            passwordHash: null,
            suggestion,
            displayName: shown,
            tier: work.settings.newAccountTier,
            isBot,
          },
          null,
        );
        await insertPerson(change.rows, work.id, key, { userId: user.id, isPlaceholder: true, candidateId });
        if (!isBot && !isGone) await joinSilently(change.rows, work.serverId, [user.id]);
      }),
    );
  try {
    await add(username);
  } catch (error) {
    // Names like this are taken with all numbers that were tried.
    if (!(error instanceof AppError) || error.code !== 'USERNAME_TAKEN') throw error;
    await add('imported');
  }
}

function displayNameOf({ displayName, username }: Person): string {
  for (const name of [displayName, username]) {
    const short = nameFrom(name, maxDisplayName);
    if (displayNameSchema.safeParse(short).success) return short;
  }
  return 'Imported';
}
