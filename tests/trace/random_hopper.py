# random_hopper.py - writes a program of asynchronous units that is right, at random: it has to end, on every netlist
# SPDX-License-Identifier: BSD-2-Clause
#
#   random_hopper.py SEED     the listing, on standard output; the size of its clusters, on standard error
#
# Warps wait for one another at barriers of their block or cluster between the parts, and are late by chance.
import random
import sys

r = random.Random(int(sys.argv[1]))
cluster = r.choice([1, 1, 2, 2, 4, 8])
warps = r.choice([1, 2, 4, 8, 8, 12])
grid = cluster * r.randint(1, 3)
registers = [40] * warps
lines = []
mine = "+0x1000000*(block%%%d)" % cluster
other = "+0x1000000*((block+%d)%%%d)" % (r.randrange(cluster), cluster)
barriers = iter(range(0x400, 0x800, 8))


def put(text, wait="", read="-", write="-", stall=None):
    mask = "".join(c if c in wait else "-" for c in "012345")
    lines.append("[B%s:R%s:W%s:%s:S%02d] %s" % (mask, read, write, r.choice("Y-"), stall or r.randint(1, 15), text))


def select(which):
    lines.append("warps " + ("*" if which is None else ",".join(map(str, which))))


def delay(which):
    for warp in which:
        if r.random() < .5:
            select([warp])
            for _ in range(r.choice([1, 2, 5, 20])):
                lines.append("[B------:R-:W-:Y:S%02d] NOP" % r.choice([1, 7, 15]))


def meet():
    delay(range(warps))
    select(None)
    if cluster > 1 or r.random() < .2:
        put("MEMBAR.ALL.GPU", write="1", stall=5)
        put("UCGABAR_ARV", wait="1", stall=5)
        put("UCGABAR_WAIT", stall=5)
    else:
        put("BAR.SYNC 0x0", stall=6)
        put("NOP", stall=8)


def initialise(address, count):
    put("SYNCS.EXCH.64 URZ, [UR4], UR6 mask=1 addr=%s count=%d" % (address, count), stall=15)


def expect(address, n):
    put("SYNCS.ARRIVE.TRANS64.RED RZ, [UR4], R2 mask=1 addr=%s tx=%d" % (address, n))


def wait(address, parity):
    put("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4], R0 mask=1 addr=%s parity=%s" % (address, parity), write="2", stall=2)
    put("NOP", wait="2")


def product(last):
    form = r.choice(["HGMMA.64x%dx16.F32", "QGMMA.64x%dx32.F32.E4M3.E4M3"]) % (8 * r.randint(1, 32))
    return form + r.choice([" R24, gdesc[UR4], R24", " R24, R4, gdesc[UR4], R24"]) + (", gsb0" if last else "")


def products():
    for first in range(0, warps - 3, 4):
        sequence = [product(r.random() < .4) for _ in range(r.choice([1, 3, 13, 20]))] + [product(True)]
        for warp in range(first, first + 4):
            delay([warp])
            select([warp])
            put("WARPGROUP.ARRIVE", stall=6)
            for instruction in sequence:
                put(instruction, stall=r.choice([1, 4, 15]))
            put("WARPGROUP.DEPBAR.LE gsb0, 0x%d" % r.randint(0, 2), stall=2)


# A warp loads into a ring of stages, for its block or all of the cluster; some others wait for them and give them back.
def ring():
    if warps == 1:
        return
    stages, steps, rows, many = r.randint(1, 4), r.randint(1, 6), r.randint(1, 40), cluster > 1 and r.random() < .5
    full = [next(barriers) for _ in range(stages)]
    empty = [next(barriers) for _ in range(stages)]
    producer = r.randrange(warps)
    consumers = [w for w in range(warps) if w != producer]
    select([producer])
    for address in full:
        initialise(hex(address) + mine, 1)
    for address in empty:
        initialise(hex(address) + mine, len(consumers) * (cluster if many else 1))
    meet()
    select([producer])
    stage = "+8*(k%%%d)" % stages
    lines.append("repeat %d k {" % steps)
    wait(hex(empty[0]) + stage + mine, "k/%d+1" % stages)
    expect(hex(full[0]) + stage + mine, 128 * rows * (cluster if many else 1))
    put("UTMALDG.2D%s [UR8], [UR12]%s mask=1 addr=0x7f8000000000+128*k+8192*block desc=128*%d:8192 bar=%s%s"
        % (".MULTICAST" if many else "", ", UR16" if many else "", rows, hex(full[0]) + stage + mine,
           " ctas=%d" % ((1 << cluster) - 1) if many else ""))
    lines.append("}")
    select(consumers)
    lines.append("repeat %d k {" % steps)
    wait(hex(full[0]) + stage + mine, "k/%d" % stages)
    for block in range(cluster if many else 1):
        to = "+0x1000000*((block+%d)%%%d)" % (block, cluster) if many else mine
        put("SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], RZ mask=1 addr=%s" % (hex(empty[0]) + stage + to))
    lines.append("}")


# Copies, stores and loads of shared memory of another block of the cluster, or of the own.
def remote():
    barrier = hex(next(barriers))
    select([0])
    initialise(barrier + mine, 1)
    meet()
    select([0])
    kinds, n = [r.randrange(4) for _ in range(r.randint(0, 5))], 0
    for kind in kinds:
        size = 16 * r.randint(1, 100)
        if kind == 0:
            put("UBLKCP [UR8], [UR12], UR5 mask=1 addr=0x7f8000000000 desc=%d bar=%s" % (size, barrier + other), read="3")
        elif kind == 1:
            put("UBLKCP.S.S [UR8], [UR12], UR5 mask=1 addr=0x800 desc=%d bar=%s" % (size, barrier + other), read="3")
        elif kind == 2:
            size = 16 * 32
            put("STAS.128 [R2], R4 addr=0x800+16*lane%s values=%s" % (other, barrier + other))
        else:
            size = 128 * r.randint(1, 16)
            put("UTMALDG.2D [UR8], [UR12] mask=1 addr=0x7f8000100000 desc=128*%d:8192 bar=%s" % (size // 128, barrier + other))
        n += size
    expect(barrier + mine, n)
    wait(barrier + mine, 0)
    select(None)
    for _ in range(r.randint(0, 6)):
        put(r.choice(["LDS.128 R4, [R2] addr=0x800+16*lane", "LDG.E R8, [R2.64] addr=0x7f8000000000+128*lane",
                      "LD.E.128 R12, [R2.64] addr=0x7f0000000800+16*lane" + other,
                      "ATOM.E.ADD R16, [R2.64], R9 addr=0x7f0000000800+4*lane" + other]), write="0", stall=2)
    put("ST.E [R2.64], R9 addr=0x7f0000000800+4*lane" + other, read="4")
    put("NOP", wait="04")


# All lanes of all warps arrive at another block's.
def arrivals():
    barrier = hex(next(barriers))
    select([0])
    initialise(barrier + mine, 32 * warps)
    meet()
    delay(range(warps))
    select(None)
    put("SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], RZ addr=%s" % (barrier + other))
    wait(barrier + mine, 0)


# Some warps give registers, others take them, and give them again.
def give_and_take():
    order = r.sample(range(warps), warps)
    pool = 0
    for turn, warp in enumerate(order):
        delay([warp])
        select([warp])
        if turn == 0 or r.random() < .5:
            n = r.randrange(24, registers[warp] + 1, 8)
            put("USETMAXREG.DEALLOC.CTAPOOL 0x%x" % n)
        else:
            n = registers[warp] + r.randrange(0, pool + 1, 8)
            put("USETMAXREG.TRY_ALLOC.CTAPOOL UP0, 0x%x" % n, stall=12)
        pool += registers[warp] - n
        registers[warp] = n


def named():
    for _ in range(r.randint(1, 3)):
        members = [w for w in range(warps) if r.random() < .7]
        arrive = [w for w in members[1:] if r.random() < .4]
        number = r.randint(1, 15)
        for warp in members:
            delay([warp])
            select([warp])
            put("%s 0x%x, 0x%x" % ("BAR.ARV" if warp in arrive else "BAR.SYNC", number, 32 * len(members)), stall=6)
        meet()


def store():
    select([r.randrange(warps)])
    for _ in range(r.randint(1, 3)):
        for _ in range(r.randint(0, 4)):
            put(r.choice(["UTMASTG.2D [UR8], [UR12] mask=1 addr=0x7f8000200000 desc=128*%d:8192",
                          "UTMAREDG.2D.ADD [UR8], [UR12] mask=1 addr=0x7f8000400000 desc=64*%d:4096",
                          "UTMAPF.L2.2D [UR8], [UR12] mask=1 addr=0x7f8000500000 desc=128*%d:4096"]) % r.randint(1, 40))
        put("UTMACMDFLUSH mask=1", read="3", stall=2)
        put("NOP", wait="3")


lines.append("kernel random sm=90 grid=%d block=%d shared=32768 regs=40 shared_base=0x7f0000000000 local_base=0x7f1000000000%s"
             % (grid, 32 * warps, " cluster=%d" % cluster if cluster > 1 or r.random() < .5 else ""))
for _ in range(r.randint(1, 4)):
    r.choice([products, ring, remote, arrivals, give_and_take, named, store])()
    meet()
put("EXIT", stall=5)
print("\n".join(lines))
print(cluster, file=sys.stderr)
