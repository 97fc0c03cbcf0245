import { z } from 'zod';

/** The longest time that messages are kept for, unless it is for ever. */
const maxKeepDays = 3650;

/** For how many days messages of a server are kept. */
export const serverKeepDaysSchema = z.number().int().min(1).max(maxKeepDays).nullable();

/** The same of one channel, apart from its server. */
export const channelKeepDaysSchema = z.number().int().min(0).max(maxKeepDays).nullable();
