/** The command line: finds the requested command, runs it, and reports errors in one line. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { Command, CommanderError } from 'commander'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { type CommandEntry, commands, groups } from './commands.ts'
import { errorText, type Io } from './io.ts'
import { loadSettings, SettingsError } from './settings.ts'

export type Surroundings = Pick<Io, 'out' | 'err'> & { readonly env: NodeJS.ProcessEnv }

const shippedFile = fileURLToPath(new URL('../config/mailroom.yaml', import.meta.url))

/** Runs the command in the arguments to its end. Returns the exit status; never throws. */
export async function runCommand(argv: readonly string[], { env, out, err }: Surroundings): Promise<number> {
  const program = new Command('mailroom')
    .description('Real mailboxes for software agents.')
    .version(serviceVersion())
    .option('--config <file>', 'the settings file (default: config/mailroom.yaml)')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
  const settings = () => settingsOf(program.opts<{ config?: string }>().config, env)
  let status = 0
  const run = async ({ load }: CommandEntry, given: readonly unknown[]) => {
    const action = await load()
    status = (await action({ settings, env, out, err }, ...(given as never[]))) ?? 0
  }
  addCommands(program, run)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return status
  } catch (error) {
    // Commander has already printed the message.
    if (error instanceof CommanderError) return error.exitCode
    err(`${textOf(error)}\n`)
    return 1
  }
}

function addCommands(program: Command, run: (entry: CommandEntry, given: readonly unknown[]) => Promise<void>): void {
  const parents = new Map<string, Command>()
  for (const entry of commands) {
    const [group = '', ...rest] = entry.call.split(' ')
    const about = groups[group]
    if (about !== undefined && !parents.has(group)) parents.set(group, program.command(group).description(about))
    const parent = parents.get(group)
    const command = parent === undefined ? program.command(entry.call) : parent.command(rest.join(' '))
    command.description(entry.about)
    for (const { flags, about, initial, required } of entry.options ?? [])
      if (required === true) command.requiredOption(flags, about)
      else command.option(flags, about, initial)
    command.action((...given) => {
      refuseBlank(program, command)
      return run(entry, given)
    })
  }
}

/** Fails with `validation_error` if an argument or option is blank. An option whose default is empty may be blank. */
function refuseBlank(program: Command, command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries())
    if ([command.processedArgs[at]].flat().some(isBlank))
      throw new Failure('validation_error', `The argument "${argument.name()}" is empty.`, {
        fix: argument.required
          ? `Write it as in "${command.createHelp().commandUsage(command)}".`
          : 'Write it, or leave it out.',
      })
  for (const option of [...command.options, ...program.options])
    if (option.defaultValue !== '' && isBlank(command.optsWithGlobals()[option.attributeName()]))
      throw new Failure('validation_error', `The option "${option.long}" is empty.`, {
        fix: option.mandatory ? `Write it as "${option.flags}".` : 'Write its value after it, or leave it out.',
      })
}

const isBlank = (given: unknown) => typeof given === 'string' && given.trim() === ''

/** A named settings file must exist; the default one may be missing. */
function settingsOf(named: string | undefined, env: NodeJS.ProcessEnv): Settings {
  const file = named === undefined ? shippedFile : path.resolve(named)
  return loadSettings({ file: named !== undefined || existsSync(file) ? file : null, env })
}

/** Errors of the caller are shown as a sentence, all others with stack and cause. */
function textOf(error: unknown): string {
  return error instanceof Failure || error instanceof SettingsError ? errorText(error) : inspect(error)
}
