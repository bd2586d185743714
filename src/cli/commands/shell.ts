import { type CommandModule, command } from '../command.ts';
import { completionScript, SHELLS, type Shell } from '../complete.ts';
import { argument } from '../options.ts';
import { oneOf } from '../parsers/values.ts';

export const shell: CommandModule = {
  group: 'Shell',
  commands: [
    command('completion', {
      readOnly: true,
      summary: 'Print a script that completes commands, options and values in a shell.',
      details:
        'bash and zsh: add eval "$(sandlot completion bash)", or zsh, to the start-up file. fish: sandlot completion fish > ~/.config/fish/completions/sandlot.fish.',
      args: { shell: argument<Shell>('<shell>', SHELLS.join(', '), oneOf(SHELLS)) },
      examples: ['sandlot completion bash', 'sandlot completion zsh', 'sandlot completion fish'],
      async run({ args: { shell }, out }) {
        out.result({ shell, script: completionScript(shell) }, ({ script }) => script);
      },
    }),
    command('skill', {
      readOnly: true,
      summary: 'Print a skill that teaches coding agents to use sandlot.',
      details: 'Save it where your agent looks for skills: sandlot skill > SKILL.md',
      async run({ allCommands, out }) {
        const { skillText } = await import('../help-document.ts');
        out.result({ skill: skillText(await allCommands()) }, ({ skill }) => skill);
      },
    }),
  ],
};
