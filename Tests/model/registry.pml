/* Who ends a person's tokens: the registry of one machine, hosts that may die at any moment, agents, the reaper, and Cognito.
 *
 * What is promised, whatever the order:
 *   OWNED  a token that lives is held by a process that lives, or is in the registry;
 *   LATER  no session has tokens that a sign-out everywhere took along, of a session that had ended when they were asked for;
 *   ENDED  when nothing more happens, the tokens of sessions that are over are revoked.
 *
 * One person and N sessions, each with a host process of its own. Times are the order of events. Cognito carries out what it is asked;
 * TROUBLES times in all it does not, or the answer is lost. Not in it: the death of a worker alone between Cognito's answer and the
 * registry's, which only root can bring about; a power cut; the seconds of access tokens, which a renewal settles; a request that is
 * on its way for longer than it is waited for.
 *
 * Each macro leaves a rule out, and what that breaks must be found: see Tests/model/check.
 *   NO_SECOND_LOOK  a sign-in that is registered does not look whether a sign-out everywhere has begun meanwhile
 *   NO_MEMORY       it sees only one that is under way when it looks, not one that has been tried since the answer
 *   NO_NEWER        an end does not look for sessions that are newer
 *   NO_ANSWER       the worker does not wait until its tokens are registered
 *   NO_LOCK         two may end the same session
 *   NO_ASKED        a session ends when that is entered, and not when its host wants it
 *
 * TRACED: what real programs were seen to do, in this order, is possible; see Tests/Integration/registry_model.py. EXPECTED is what comes
 * as the at-th of LENGTH, and the last of them breaks an assertion: then there is a way to all of them.
 */
#ifndef N
#define N 3
#endif
#ifndef TROUBLES
#define TROUBLES 1
#endif

mtype = { none, live, dead };                  /* a refresh token at Cognito */
mtype = { absent, pending, open, closing };    /* an entry of the registry */

mtype token[N] = none;
mtype state[N] = absent;
bool delivered[N];
bool locked[N];
bool alive[N] = true;    /* the host */
bool worker[N];          /* the worker of the sign-in lives, and has the tokens */
bool everywhere[N];      /* the end that is entered is one everywhere */
bool handed_over[N];     /* closed a moment ago: an agent is about to come */
bool taken[N];           /* what LATER forbids */
byte answered[N];        /* when the person gave their answer */
byte created[N];         /* when the entry was made */
byte closed[N];          /* when the session ended; 0: nobody knows */
byte over[N];            /* the same, whether anybody knows or not; 0: it is not over */
byte tries[N];           /* how often its end was tried */
byte clock = 1;
byte troubles = TROUBLES;
byte finished;           /* processes */

#ifdef TRACED
byte at;
#define SEEN(what, i) (at < LENGTH && EXPECTED == what * 16 + i); at++; assert(at != LENGTH);
#else
#define SEEN(what, i)
#endif
/* Tokens were issued and are dead; a session has begun, is about to be ended by its host, and the host is gone. */
#define LIVES  1
#define DIES   2
#define BEGINS 3
#define LEAVES 4
#define GOES   5

#ifdef NO_LOCK
#define LOCK(i)   skip
#else
#define LOCK(i)   atomic { !locked[i] -> locked[i] = true }
#endif
#define UNLOCK(i) locked[i] = false
#define TICK      clock = clock + 1
#define OWNED(i)  (token[i] != live || worker[i] || state[i] != absent)
/* When the session ended, as far as anybody knows: of a host that died, not before it was entered. */
#define SINCE(i)  ((closed[i] > 0) * closed[i] + (closed[i] == 0) * created[i])
/* The session is over, or none followed. */
#define IS_OVER(i) (state[i] == closing && !handed_over[i] || (state[i] == pending || state[i] == open) && !alive[i])
/* A sign-out everywhere of the person is under way: somebody is at it, or is about to be. */
#define UNDER_WAY(i) (state[i] == closing && delivered[i] && everywhere[i] && (locked[i] || handed_over[i]))

inline revoke(i) {
    if
    :: token[i] == live -> SEEN(DIES, i) token[i] = dead
    :: else
    fi
}

/* GlobalSignOut, which needs tokens that are good. */
inline revoke_everywhere(i, k) {
    if
    :: token[i] == live ->
        for (k : 0 .. N - 1) {
            taken[k] = taken[k] || (k != i && token[k] == live && over[i] > 0 && answered[k] > over[i]);
            assert(!taken[k] || state[k] != open);      /* LATER */
            revoke(k)
        }
    :: else
    fi
}

inline await_sign_outs(k) {
    for (k : 0 .. N - 1) { !UNDER_WAY(k) }
}

/* One attempt to end a session whose entry this process has locked. */
inline end(i, k, wide) {
    atomic {
        handed_over[i] = false;
        tries[i] = (tries[i] + 1) % 4;
        if
        :: state[i] == open -> everywhere[i] = true
        :: else
        fi;
        state[i] = closing;
        wide = delivered[i] && everywhere[i];
#ifndef NO_NEWER
        for (k : 0 .. N - 1) {
            if
            :: k != i && (state[k] == pending || state[k] == open) && created[k] > SINCE(i) -> wide = false
            :: else
            fi
        }
#endif
    }
    /* The request is on its way. */
    if
    :: atomic { troubles > 0 -> troubles = troubles - 1 };
        if
        :: wide -> atomic { revoke_everywhere(i, k); k = 0 }    /* the answer is lost */
        :: skip                                                 /* or the request */
        fi
    :: atomic {
            if
            :: wide -> revoke_everywhere(i, k)
            :: else
            fi;
            revoke(i);
            state[i] = absent;
            assert(OWNED(i));
            k = 0
        }
    fi;
    wide = false
}

proctype Agent(byte i) {
    byte k;
    bool wide;
    LOCK(i);
    if
    :: state[i] == closing -> end(i, k, wide)
    :: else
    fi;
    atomic { UNLOCK(i); handed_over[i] = false; finished++ }
}

inline revoke_unregistered(i) {
    if
    :: worker[i] -> revoke(i); worker[i] = false
    :: else
    fi;
    assert(OWNED(i))
}

proctype Host(byte i) {
    byte k;
    bool ours;
    bool look;
    mtype seen[N] = absent;
    byte seen_tries[N];
    /* The person has typed something. Sessions are alike: who answers first is called the first. */
    atomic {
        i == 0 || answered[(i + N - 1) % N] > 0 ->
        answered[i] = clock;
        TICK;
        for (k : 0 .. N - 1) {
            if
            :: delivered[k] -> seen[k] = state[k]; seen_tries[k] = tries[k]
            :: else
            fi
        }
        k = 0
    }
    await_sign_outs(k);
    k = 0;
    if
    :: goto gone                                        /* a wrong answer; here and below: or the host dies */
    :: atomic { SEEN(LIVES, i) token[i] = live; worker[i] = true }
    fi;
#ifdef NO_ANSWER
    atomic { worker[i] = false; assert(OWNED(i)) }
#endif
    if
    :: goto gone
    :: atomic { state[i] = pending; created[i] = clock; TICK }
    fi;
    if
    :: goto gone
    :: atomic { worker[i] = false; assert(OWNED(i)) }
    fi;
#ifndef NO_SECOND_LOOK
    atomic {
        for (k : 0 .. N - 1) {
            look = look || UNDER_WAY(k);
#ifndef NO_MEMORY
            look = look || (seen[k] != absent && (tries[k] != seen_tries[k]
                || state[k] != seen[k] && (state[k] == absent || state[k] == closing)));
#endif
            seen[k] = absent;
            seen_tries[k] = 0
        }
        k = 0
    }
    await_sign_outs(k);
    k = 0;
    if
    :: look && token[i] == dead -> goto gone
    :: else -> look = false
    fi;
#endif
    if
    :: goto gone
    :: LOCK(i)
    fi;
    atomic {
        if
        :: state[i] == pending ->
            assert(!taken[i]);                          /* LATER */
            state[i] = open;
            delivered[i] = true;
            ours = true
        :: else
        fi;
        UNLOCK(i)
    }
    if
    :: ours -> SEEN(BEGINS, i) skip
    :: goto gone
    fi;
    if
    :: ours -> atomic { SEEN(LEAVES, i) over[i] = clock; TICK }    /* logout */
    :: goto gone
    fi;
    LOCK(i);
    atomic {
        if
        :: state[i] == open ->
            state[i] = closing;
#ifdef NO_ASKED
            closed[i] = clock;
            TICK;
#else
            closed[i] = over[i];
#endif
            everywhere[i] = true;
            handed_over[i] = true
        :: else -> ours = false
        fi;
        UNLOCK(i)
    }
    if
    :: ours -> atomic { finished--; run Agent(i) }
    :: ours -> handed_over[i] = false                   /* none could be started, or it came too late */
    :: !ours
    fi;
gone:
    atomic {
        SEEN(GOES, i)
        alive[i] = false;
        if
        :: over[i] == 0 -> over[i] = clock; TICK
        :: else
        fi
    }
    /* The worker hears that, and revokes what nobody has said to be registered. */
    atomic { revoke_unregistered(i); finished++ }
}

#define IS_QUIET (finished == N && state[0] == absent && state[1] == absent && state[N - 1] == absent)

/* Ends what ended badly, as often as there is something. */
active proctype Reaper() {
    byte i;
    byte k;
    bool wide;
    do
    :: IS_OVER(i) ->
        LOCK(i);
        if
        :: IS_OVER(i) -> end(i, k, wide)
        :: else
        fi;
        UNLOCK(i)
    :: !IS_OVER(i) && !IS_QUIET -> atomic { i = (i + 1) % N }
    :: IS_QUIET -> break
    od;
    for (k : 0 .. N - 1) { assert(token[k] != live) }   /* ENDED */
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) { run Host(i) }
    }
}
