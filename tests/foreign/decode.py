#!/usr/bin/env python3
"""A second decoder of tvlb's images, written from schema/FORMAT.md and lab/ofar/FORMAT.md alone.

It shares no code with the decoder in Rust, so that a rule which only one of the two knows is found:
the tests in tests/tests/foreign compare them. It must do nothing that these pages do not say.

    decode.py IMAGE...   prints one JSON line for each image, with sorted keys; a fabric image serves the
                         switch, fault and escape images after it. It ends with exit code 1 and one sentence at the first
                         image that it refuses.
    decode.py --serve    reads records from its input and answers each with one line (see `serve`).

"loose" in a line lists what a reader accepts although a writer never makes it.
"""

import json
import struct
import sys
import zlib

SHAPES = 12
BY_ROUTE, BY_SHAPE, BY_SWITCH, BY_TRIPLE = 0, 1, 2, 3
PORT_MAP = 1
DRAINING = 1
VIRTUAL_CHANNELS = ["ordered", "per-hop", "positional", "up-down"]
MASK = (1 << 64) - 1


class Refused(Exception):
    """What is wrong with an image: one sentence."""

    def __init__(self, at, what, found, accepted):
        super().__init__(f"{what} at byte {at}: found {found}, accepted {accepted}")


def bits(number):
    """How many bits the number needs in binary; 0 for -1, which is n - 1 where n is 0."""
    return max(number, 0).bit_length()


def crc64_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
        table.append(byte)
    return table


CRC64 = crc64_table()


def crc64(data):
    """CRC-64/XZ."""
    crc = MASK
    for byte in data:
        crc = CRC64[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ MASK


class Reader:
    """The payload of an image, read from front to back."""

    def __init__(self, image, end):
        self.image, self.at, self.end = image, 20, end

    def byte(self, what):
        if self.at == self.end:
            raise Refused(self.at, what, "the end of the payload", "a byte")
        self.at += 1
        return self.image[self.at - 1]

    def number(self, what, width, least=0, most=None):
        """A varint of at most `width` bits, in as few bytes as it can take."""
        start, value, shift = self.at, 0, 0
        most = (1 << width) - 1 if most is None else most
        while True:
            byte = self.byte(what)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift >= width:
                raise Refused(start, what, "a longer number", f"a number of {width} bits")
        if byte == 0 and shift > 7:
            raise Refused(start, what, f"{value} in too many bytes", "as few bytes as it can take")
        if not least <= value <= most:
            raise Refused(start, what, value, f"{least} to {most}")
        return value

    def signed(self, what):
        value = self.number(what, 16)
        return value >> 1 ^ -(value & 1)

    def u8(self, what, most=255):
        value = self.byte(what)
        if value > most:
            raise Refused(self.at - 1, what, value, f"0 to {most}")
        return value

    def take(self, what, length):
        if self.end - self.at < length:
            raise Refused(self.at, what, f"{self.end - self.at} bytes", f"{length} bytes")
        self.at += length
        return self.image[self.at - length : self.at]

    def packed(self, what, entries, width):
        """A packed section; the numbers of its entries."""
        if entries == 0 or width == 0:
            return [0] * entries
        assert width <= 25, "no width is above 25 bits"
        used = (entries * width + 7) // 8
        data = self.take(what, used + 3)
        whole = int.from_bytes(data, "little")
        if whole >> entries * width:
            raise Refused(self.at - 4, f"padding of {what}", "a bit that is set", "zeros")
        mask, numbers, per_piece = (1 << width) - 1, [], 8 * 64
        # Eight entries take `width` bytes, so that a piece begins with a byte.
        for first in range(0, entries, per_piece):
            count = min(per_piece, entries - first)
            begin = first // 8 * width
            piece = int.from_bytes(data[begin : begin + per_piece // 8 * width], "little")
            numbers += [piece >> i * width & mask for i in range(count)]
        return numbers

    def finish(self):
        if self.at != self.end:
            raise Refused(self.at, "the payload", f"{self.end - self.at} bytes more", "its end")


def framed(image, kind, known_parts=0):
    """Checks the frame of an image of this kind; its reader, its identity and its parts."""
    if len(image) < 24:
        raise Refused(len(image), "the image", f"{len(image)} bytes", "24 bytes or more")
    if image[:4] != b"TVLB":
        raise Refused(0, "label", image[:4].hex(), b"TVLB".hex())
    if image[4:5] != kind:
        raise Refused(4, "kind", image[4], kind[0])
    parts = image[5]
    if parts & ~known_parts:
        raise Refused(5, "parts", parts, f"bits of {known_parts}")
    version, identity, length = struct.unpack_from("<HQI", image, 6)
    if version != 3:
        raise Refused(6, "format version", version, 3)
    if length != len(image):
        raise Refused(16, "length", length, len(image))
    (checksum,) = struct.unpack_from("<I", image, length - 4)
    if checksum != zlib.crc32(image[:-4]):
        raise Refused(length - 4, "checksum", checksum, zlib.crc32(image[:-4]))
    return Reader(image, length - 4), identity, parts


class Fabric:
    """A fabric image."""

    def __init__(self, image):
        reader, self.identity, _ = framed(image, b"F")
        found = crc64(image[20:-4])
        if self.identity != found:
            raise Refused(8, "identity", f"{self.identity:016x}", f"{found:016x}")
        self.dead_switches, self.dead_ends, self.dead_links = set(), set(), {}
        self.p = reader.number("p", 16, 1, 256)
        self.a = reader.number("a", 16, 1, 256)
        self.h = reader.number("h", 16, 1, 4096 // self.a)
        self.ports_per_group = ports = self.a * self.h
        most_groups = min(ports + 1, 65536 // self.a, (1 << 24) // ports)
        self.g = reader.number("g", 16, 2, most_groups)
        cables = reader.number("cables", 32, 0, ports * self.g // 2)
        self.most = reader.number("most links", 16)
        self.even = reader.number("even links", 16)
        self.read_kinds(reader)
        fewer = reader.number("fewer", 32)
        self.read_wiring(reader, cables)
        self.read_fewer(reader, fewer)
        reader.finish()
        self.index_links()
        self.loose = []

    def read_kinds(self, reader):
        """The kinds of groups, and the kind of each group."""
        start = reader.at
        count = reader.number("kinds", 64, 0, 24)
        self.kinds = []
        for _ in range(count):
            at = reader.at
            p, a = (reader.number(f"{what} of a kind", 16, 0, 256) for what in "pa")
            h, g = (reader.number(f"{what} of a kind", 16) for what in "hg")
            if g == 0 or (p or h) and a == 0 or a and h == 0:
                raise Refused(at, "kind", [p, a, h, g], "at least 1, and p and h 0 where a is")
            local = reader.number("local links of a kind", 16, 1, 1 if a <= 1 else 64)
            if self.kinds and self.kinds[-1][:3] == [p, a, h] and self.kinds[-1][4] == local:
                raise Refused(at, "kind", "p, a, h and local links of the kind before it", "others")
            self.kinds.append([p, a, h, g, local])
        differing = {(p, a, h, local) for p, a, h, _, local in self.kinds if a}
        if len(differing) > 8:
            raise Refused(start, "kinds", f"{len(differing)} that differ", "8 at most")
        if count == 1 and self.kinds[0][4] == 1:
            raise Refused(start, "kinds", "one with single links", "none")
        if count:
            sizes = [max(kind[i] for kind in self.kinds) for i in range(3)]
            sizes.append(sum(kind[3] for kind in self.kinds))
            present = sum(kind[3] for kind in self.kinds if kind[1])
            if present < 2:
                raise Refused(start, "groups with switches", present, "two or more")
            if sizes != [self.p, self.a, self.h, self.g]:
                raise Refused(start, "kinds", sizes, [self.p, self.a, self.h, self.g])
        alike = [[self.p, self.a, self.h, self.g, 1]]
        self.kind_of = [kind for kind in self.kinds or alike for _ in range(kind[3])]

    def read_fewer(self, reader, count):
        """The pairs of switches of a group that share fewer links than their kind says."""
        self.fewer = {}
        if count == 0:
            return
        start, low_width = reader.at, bits(self.a - 1)
        pairs = reader.packed("pairs", count, bits(self.a * self.g - 1) + low_width)
        links_at, most = reader.at, max(kind[4] for kind in self.kind_of)
        links = reader.packed("pairs' links", count, bits(most - 1))
        before = -1
        for entry, number in zip(pairs, links):
            switch, other = entry >> low_width, entry & (1 << low_width) - 1
            if not self.has_switch(switch) or not switch % self.a < other:
                raise Refused(start, "pair", entry, "two switches, the lower index first")
            group, index = divmod(switch, self.a)
            if other >= self.kind_of[group][1] or entry <= before:
                raise Refused(start, "pair", entry, "two switches of a group, in order")
            if number >= self.kind_of[group][4]:
                raise Refused(links_at, "links of a pair", number, f"below {self.kind_of[group][4]}")
            before = entry
            self.fewer[group, index, other] = number
        first = 0
        for kind in self.kinds or [[self.p, self.a, self.h, self.g, 1]]:
            groups = range(first, first + kind[3])
            first += kind[3]
            found = sum(group in groups for group, _, _ in self.fewer)
            if found and found == kind[3] * (kind[1] * (kind[1] - 1) // 2):
                raise Refused(start, "pairs", found, "fewer than all of a kind")

    def planned_links(self, group, one, other):
        """How many links two switches of a group share by the plan."""
        return self.fewer.get((group, min(one, other), max(one, other)), self.kind_of[group][4])

    def local_links(self, group, one, other):
        """How many links that two switches of a group share live."""
        if not self.lives(group, one) or not self.lives(group, other):
            return 0
        dead = self.dead_links.get((group, min(one, other), max(one, other)), 0)
        return self.planned_links(group, one, other) - dead

    def is_hop(self, group, one, other):
        """Whether a packet needs no hop from one switch to another, or a link lives for it."""
        return one == other or self.local_links(group, one, other) > 0

    def lives(self, group, index):
        return group * self.a + index not in self.dead_switches

    def has_switch(self, switch):
        group, index = divmod(switch, self.a)
        return group < self.g and index < self.kind_of[group][1]

    def has_port(self, group, port):
        index, slot = divmod(port, self.h)
        return index < self.kind_of[group][1] and slot < self.kind_of[group][2]

    def read_wiring(self, reader, cables):
        pairs = [(i, j) for i in range(self.g) for j in range(i + 1, self.g)]
        start = reader.at
        if self.even:
            if cables != self.even * len(pairs):
                raise Refused(start, "cables", cables, self.even * len(pairs))
            starts = [n * self.even for n in range(len(pairs) + 1)]
        else:
            starts = reader.packed("starts", len(pairs) + 1, bits(cables))
        counts = [starts[n + 1] - starts[n] for n in range(len(pairs))]
        if starts[0] != 0 or min(counts) < 0 or starts[-1] != cables:
            raise Refused(start, "starts", "other numbers", f"rising ones from 0 to {cables}")
        if max(counts) != self.most:
            raise Refused(start, "most links", self.most, max(counts))
        if not self.even and min(counts) == max(counts) != 0:
            raise Refused(start, "starts", "as many cables of every pair", "even links")

        half = bits(self.ports_per_group - 1)
        start = reader.at
        packed = reader.packed("cables", cables, 2 * half)
        # ends: (group, port) -> the place of its cable among those of its pair, and the other end
        self.cables, self.ends = [], {}
        for n, (i, j) in enumerate(pairs):
            before = -1
            for place, cable in enumerate(packed[starts[n] : starts[n + 1]]):
                low, high = cable & (1 << half) - 1, cable >> half
                if low <= before:
                    raise Refused(start, f"cables of groups {i} and {j}", low, f"above {before}")
                before = low
                for end, other in ((i, low), (j, high)), ((j, high), (i, low)):
                    if end[1] >= self.ports_per_group or not self.has_port(*end):
                        raise Refused(start, "port of a cable", end, "a port that its group has")
                    if end in self.ends:
                        raise Refused(start, "port of a cable", end, "a port without a cable")
                    self.ends[end] = (place, other)
                self.cables.append([i, low, j, high])

        start = reader.at
        low_width = bits(self.most - 1)
        ports = reader.packed(
            "ports", self.ports_per_group * self.g, bits(self.g - 1) + low_width
        )
        for n, entry in enumerate(ports):
            end = divmod(n, self.ports_per_group)
            place, (group, _) = self.ends.get(end, (0, (end[0], 0)))
            if entry != group << low_width | place:
                raise Refused(start, f"port {end[1]} of group {end[0]}", entry, "what the cables say")

    def index_links(self):
        """links[i, j]: the links from group i to group j that live, each the port and the port of arrival."""
        self.links = {}
        for (group, port), (_, (to, arrival)) in sorted(self.ends.items()):
            ends = (group, port), (to, arrival)
            live = all(self.lives(at, self.switch_of(end)) for at, end in ends)
            if live and (group, port) not in self.dead_ends:
                self.links.setdefault((group, to), []).append((port, arrival))

    def take(self, faults):
        """From now on everything is dead that a fault image names, and nothing else."""
        self.dead_switches, self.dead_ends, self.dead_links = set(faults.switches), set(), {}
        for number in faults.cables:
            i, low, j, high = self.cables[number]
            self.dead_ends |= {(i, low), (j, high)}
        for low, high, _ in faults.links:
            pair = (*divmod(low, self.a), high)
            self.dead_links[pair] = self.dead_links.get(pair, 0) + 1
        self.index_links()

    def switch_of(self, port):
        """The index of the switch that has this port of a group."""
        return port // self.h

    def first_slot(self):
        """The number of the first slot among a switch's ports."""
        return self.p + max(kind[4] * (kind[1] - 1) for kind in self.kind_of)

    def radix(self):
        return self.first_slot() + self.h

    def end_of(self, switch, port):
        """The switch and its port at the other end of a planned link; None where there is none."""
        group, index = divmod(switch, self.a)
        if not self.has_switch(switch) or port < self.p or port >= self.radix():
            return None
        if port >= self.first_slot():
            number = index * self.h + port - self.first_slot()
            if (group, number) not in self.ends:
                return None
            _, (to, arrival) = self.ends[group, number]
            return to * self.a + arrival // self.h, self.first_slot() + arrival % self.h
        switches = self.kind_of[group][1]
        if switches == 1:
            return None
        k, other = divmod(port - self.p, switches - 1)
        other += other >= index
        if k >= self.planned_links(group, index, other):
            return None
        back = self.p + k * (switches - 1) + index - (index > other)
        return group * self.a + other, back

    def means(self):
        return {
            "image": "fabric",
            "identity": f"{self.identity:016x}",
            "sizes": [self.p, self.a, self.h, self.g],
            "kinds": self.kinds,
            "fewer": [[*pair, links] for pair, links in sorted(self.fewer.items())],
            "most": self.most,
            "even": self.even,
            "cables": self.cables,
        }


class Faults:
    """A fault image, over the fabric image that it belongs to."""

    def __init__(self, image, fabric):
        self.fabric = fabric
        reader, self.identity, parts = framed(image, b"X", DRAINING)
        self.draining = bool(parts & DRAINING)
        if self.identity != fabric.identity:
            raise Refused(8, "identity", f"{self.identity:016x}", f"{fabric.identity:016x}")
        self.epoch = reader.number("epoch", 32)
        there = sum(kind[1] for kind in fabric.kind_of)
        switches = reader.number("dead switches", 32, 0, there)
        cables = reader.number("dead cables", 32, 0, len(fabric.cables))
        links = reader.number("dead links", 32, 0, (1 << 26) - 1)
        switch_width, index_width = bits(fabric.a * fabric.g - 1), bits(fabric.a - 1)
        start = reader.at
        self.switches = reader.packed("dead switches", switches, switch_width)
        self.check_order(start, "dead switch", self.switches, fabric.has_switch)
        start = reader.at
        self.cables = reader.packed("dead cables", cables, bits(len(fabric.cables) - 1))
        self.check_order(start, "dead cable", self.cables, lambda number: number < len(fabric.cables))
        start = reader.at
        pairs = reader.packed("pairs of dead links", links, switch_width + index_width)
        most = max(kind[4] for kind in fabric.kind_of)
        numbers = reader.packed("dead links", links, bits(most - 1))
        self.links = [
            [pair >> index_width, pair & (1 << index_width) - 1, number]
            for pair, number in zip(pairs, numbers)
        ]
        self.check_links(start)
        reader.finish()
        self.loose = []
        self.look_for_what_no_writer_makes()

    @staticmethod
    def check_order(start, what, numbers, exists):
        for before, number in zip([-1] + numbers, numbers):
            if number <= before or not exists(number):
                raise Refused(start, what, number, f"one of the fabric, above {before}")

    def check_links(self, start):
        fabric, before = self.fabric, None
        for link in self.links:
            low, high, number = link
            group, index = divmod(low, fabric.a)
            if not fabric.has_switch(low) or not index < high < fabric.kind_of[group][1]:
                raise Refused(start, "pair of a dead link", [low, high], "two switches of a group")
            if number >= fabric.planned_links(group, index, high):
                raise Refused(start, "dead link", link, "one of the plan")
            if before is not None and link <= before:
                raise Refused(start, "dead link", link, f"above {before}")
            before = link

    def look_for_what_no_writer_makes(self):
        fabric, dead = self.fabric, set(self.switches)
        for number in self.cables:
            i, low, j, high = fabric.cables[number]
            if {i * fabric.a + fabric.switch_of(low), j * fabric.a + fabric.switch_of(high)} & dead:
                self.loose.append(f"cable {number} is one of a dead switch")
        for low, high, _ in self.links:
            if {low, low - low % fabric.a + high} & dead:
                self.loose.append(f"a link of switches {low} and {high} is one of a dead switch")

    def means(self):
        return {
            "image": "faults",
            "draining": self.draining,
            "identity": f"{self.identity:016x}",
            "epoch": self.epoch,
            "switches": self.switches,
            "cables": [self.fabric.cables[number][:2] for number in self.cables],
            "links": self.links,
        }


class Escape:
    """An escape image, over the fabric image that it belongs to."""

    FIELDS = ["network", "local_channels", "global_channels", "source_percent", "middle_percent",
              "destination_percent", "global_percent", "misrouting", "bubble", "throttle", "most_entries"]

    def __init__(self, image, fabric):
        self.fabric = fabric
        reader, identity, _ = framed(image, b"E")
        if identity != fabric.identity:
            raise Refused(8, "fabric identity", f"{identity:016x}", f"{fabric.identity:016x}")
        most = {"network": 1, "local_channels": 7, "global_channels": 7, "misrouting": 15, "most_entries": 15}
        self.rules = {}
        for field in self.FIELDS:
            at = reader.at
            value = reader.u8(field, most.get(field, 255))
            if value == 0 and field in ("local_channels", "global_channels"):
                raise Refused(at, field, 0, "1 or more")
            self.rules[field] = value
        self.rules["least_percent"] = 0
        if self.rules["misrouting"] & 8:
            at = reader.at
            self.rules["least_percent"] = reader.u8("least_percent", 100)
            if self.rules["least_percent"] == 0:
                raise Refused(at, "least_percent", 0, "1 or more")
        self.is_ring = self.rules["network"] == 0
        numbers = [n for n in range(fabric.a * fabric.g) if fabric.has_switch(n)]
        count = len(numbers)
        if self.is_ring and count < 3:
            raise Refused(20, "switches", count, "3 or more for a ring")
        place_bits, port_bits = bits(count - 1), bits(fabric.radix() - 1)
        self.places = reader.packed("places", fabric.a * fabric.g, place_bits)
        self.switches = reader.packed("switches", count, bits(fabric.a * fabric.g - 1))
        self.onward = reader.packed("onward ports", count, port_bits)
        self.backward = reader.packed("backward ports", count, port_bits)
        self.below = [0] * count if self.is_ring else reader.packed("sizes", count, place_bits)
        reader.finish()
        if sorted(self.switches) != numbers:
            raise Refused(20, "switches", "numbers that are not those of the fabric", "each once")
        for number, place in enumerate(self.places):
            if place >= count:
                raise Refused(20, "place", place, f"below {count}")
            is_right = self.switches[place] == number if number in numbers else place == 0
            if not is_right:
                raise Refused(20, "place", place, "that of the switch")
        self.check_links()
        self.loose = []

    def check_links(self):
        count = len(self.switches)
        if self.is_ring:
            for place in range(count):
                self.check_link(place, self.onward[place], (place + 1) % count, self.backward[(place + 1) % count])
            return
        if self.below[0] != count - 1 or self.onward[0] or self.backward[0]:
            raise Refused(20, "root", self.below[0], "one with all others below it and none above")
        open_ones = [(0, count)]
        for place in range(1, count):
            while open_ones[-1][1] <= place:
                open_ones.pop()
            above, end = open_ones[-1]
            if place + 1 + self.below[place] > end:
                raise Refused(20, "size", self.below[place], "within the subtree above")
            self.check_link(place, self.onward[place], above, self.backward[place])
            open_ones.append((place, place + 1 + self.below[place]))

    def check_link(self, place, port, to, back):
        if self.fabric.end_of(self.switches[place], port) != (self.switches[to], back):
            raise Refused(20, "port", port, "one that leads to the switch and back")

    def means(self):
        return {
            "image": "escape",
            "identity": f"{self.fabric.identity:016x}",
            "rules": self.rules,
            "switches": self.switches,
            "onward": self.onward,
            "backward": self.backward,
            "below": self.below,
        }


def shape_number(head, mid, tail):
    return 6 * head + 2 * mid + tail


def shapes_of_legs(legs):
    """The shapes that walks of these legs can have, as bits."""
    # A leg to the switch: (head, its hop in the intermediate group); one from it: (hop, tail).
    ways = {1: [(0, 0)], 2: [(0, 1), (1, 0)], 3: [(1, 1)]}
    shapes = 0
    for i in 1, 2, 3:
        for j in 1, 2, 3:
            if legs >> 3 * (i - 1) + j - 1 & 1:
                for head, to in ways[i]:
                    for on, tail in ways[j]:
                        shapes |= 1 << shape_number(head, to + on, tail)
    return shapes


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


class Set:
    """A set of a switch image."""

    def __init__(self, reader):
        self.draw = reader.number("draw", 32, 0, 3)
        self.keep, self.weights = [0] * SHAPES, [0] * SHAPES
        self.legs = self.returns = 0
        if self.draw == BY_TRIPLE:
            self.keep = [10000] * SHAPES
        elif self.draw != BY_SWITCH:
            start = reader.at
            self.keep = [reader.number("keep", 16, 0, 10000) for _ in range(SHAPES)]
            if any(0 < keep < 100 for keep in self.keep):
                raise Refused(start, "keep", self.keep, "0, or 100 to 10000")
        if self.draw == BY_SHAPE:
            start = reader.at
            self.weights = [reader.number("weight", 16) for _ in range(SHAPES)]
            if any((w > 0) != (k > 0) for w, k in zip(self.weights, self.keep)):
                raise Refused(start, "weights", self.weights, "above 0 exactly where keep is")
        if self.draw == BY_SWITCH:
            start = reader.at
            self.legs = reader.number("legs", 16, 1, 0x1FF)
            for bit in range(9):
                below = [bit - 3] if bit >= 3 else []
                below += [bit - 1] if bit % 3 else []
                if self.legs >> bit & 1 and not all(self.legs >> b & 1 for b in below):
                    raise Refused(start, "legs", self.legs, "with a pair all smaller ones")
            self.returns = reader.u8("returns", 1)
        self.seed = reader.number("seed", 64)
        start = reader.at
        self.always = reader.number("always", 16)
        self.sometimes = reader.number("sometimes", 16)
        if self.draw == BY_SWITCH:
            kept = shapes_of_legs(self.legs)
        else:
            kept = sum(1 << n for n in range(SHAPES) if self.keep[n])
        if self.draw != BY_SHAPE:
            if (self.always, self.sometimes) != (kept, 0):
                raise Refused(start, "always and sometimes", [self.always, self.sometimes], [kept, 0])
        elif self.always & self.sometimes or (self.always | self.sometimes) & ~kept:
            found = [self.always, self.sometimes]
            raise Refused(start, "always and sometimes", found, f"parts of {kept} without a common bit")
        self.thinned = reader.u8("thinned", 0 if self.draw in (BY_SWITCH, BY_TRIPLE) else 1)
        self.presence, self.levels = None, None

    def read_sections(self, reader, fabric, group, loose):
        if self.sometimes:
            shapes = [n for n in range(SHAPES) if self.sometimes >> n & 1]
            start = reader.at
            entries = reader.packed("presence", fabric.a * fabric.g, len(shapes))
            spread = lambda entry: sum(1 << n for i, n in enumerate(shapes) if entry >> i & 1)
            self.presence = [spread(entry) for entry in entries]
            outside = self.outside(fabric, group)
            for switch, entry in enumerate(entries):
                if entry and switch not in outside:
                    raise Refused(start, f"presence of switch {switch}", entry, 0)
            for column, shape in enumerate(shapes):
                if len({entries[switch] >> column & 1 for switch in outside}) < 2:
                    loose.append(f"all destinations have shape {shape}, or none, in its column")
        if self.thinned:
            start = reader.at
            self.levels = reader.packed("levels", fabric.ports_per_group, 4)
            if min(self.levels) < 3:
                raise Refused(start, "level", min(self.levels), "3 to 15")
            if min(self.levels) == 15:
                loose.append("a set is thinned although all levels are 15")

    @staticmethod
    def outside(fabric, group):
        """The switches of other groups."""
        numbers = range(fabric.a * fabric.g)
        return [s for s in numbers if fabric.has_switch(s) and s // fabric.a != group]

    def shapes_to(self, switch):
        """The shapes of which a destination in another group has a kept route, as bits."""
        return self.always | (self.presence[switch] if self.presence else 0)

    def keeps(self, shape, key, x):
        """Whether a route is in the set: its shape, its key and its first link."""
        if not self.keep[shape]:
            return False
        hashed = mix(key ^ mix(self.seed + 0x9E3779B97F4A7C15 & MASK))
        if self.keep[shape] != 10000 and (hashed >> 32) * 10000 >> 32 >= self.keep[shape]:
            return False
        level = self.levels[x] if self.levels else 15
        return level == 15 or hashed % 16 <= level

    def means(self, fabric, group):
        return {
            "draw": self.draw,
            "keep": self.keep,
            "weights": self.weights,
            "legs": self.legs,
            "returns": self.returns,
            "seed": self.seed,
            "shapes": [self.shapes_to(switch) for switch in self.outside(fabric, group)],
            "levels": self.levels,
        }


class Switch:
    """A switch image, over the fabric image that it belongs to."""

    def __init__(self, image, fabric):
        self.fabric = fabric
        reader, identity, parts = framed(image, b"S", PORT_MAP)
        if identity != fabric.identity:
            raise Refused(8, "identity", f"{identity:016x}", f"{fabric.identity:016x}")
        start = reader.at
        self.switch = reader.number("switch", 16)
        if not fabric.has_switch(self.switch):
            raise Refused(start, "switch", self.switch, "a switch of the fabric")
        self.group, self.index = divmod(self.switch, fabric.a)
        self.virtual_channels = VIRTUAL_CHANNELS[reader.number("virtual channels", 32, 0, 3)]
        start = reader.at
        self.decisions = []
        for _ in range(3):
            number, threshold = reader.u8("set of a decision"), reader.signed("threshold")
            candidates, gate = reader.u8("candidates"), reader.u8("gate")
            by_channel, by_cheapest = number >> 7, number >> 6 & 1
            numbers = [candidates >> 4, candidates & 15, gate, by_channel, by_cheapest]
            self.decisions.append([number & 0x3F, threshold, *numbers])
        self.second_min = reader.number("second look's MIN", 32, 0, 2)
        self.sets = [Set(reader) for _ in range(reader.number("sets", 64, 1, 3))]
        for number, _, mins, vlbs, *_ in self.decisions:
            if number >= len(self.sets):
                raise Refused(start, "set of a decision", number, f"below {len(self.sets)}")
            if not 1 <= mins <= 8:
                raise Refused(start, "number of MIN candidates of a decision", mins, "1 to 8")
            if not 1 <= vlbs <= 8:
                raise Refused(start, "number of VLB candidates of a decision", vlbs, "1 to 8")
        self.loose = []
        self.read_peers(reader)
        for one in self.sets:
            one.read_sections(reader, fabric, self.group, self.loose)
        self.port_map = self.read_port_map(reader) if parts & PORT_MAP else None
        reader.finish()
        self.look_for_what_no_writer_makes()

    def read_peers(self, reader):
        start, ports = reader.at, self.fabric.ports_per_group
        peers = struct.unpack(f"<{ports}I", reader.take("peers", 4 * ports))
        self.peers = [[peer >> 16, peer & 0xFFFF] for peer in peers]
        for port, peer in enumerate(self.peers):
            _, other = self.fabric.ends.get((self.group, port), (0, (self.group, 0)))
            if tuple(peer) != other:
                raise Refused(start + 4 * port, f"peer of port {port}", peer, list(other))

    def read_port_map(self, reader):
        """By port the number that the machine has for it, or None."""
        fabric, start = self.fabric, reader.at
        nodes, switches, slots, _, links = fabric.kind_of[self.group]
        locals_from, slots_from = fabric.p, fabric.p + max(k[4] * (k[1] - 1) for k in fabric.kind_of)
        ports = {*range(nodes), *range(slots_from, slots_from + slots)}
        ports |= set(range(locals_from, locals_from + links * (switches - 1)))
        numbers = list(reader.take("port map", slots_from + fabric.h))
        known = [number for number in numbers if number != 255]
        if not known or len(set(known)) != len(known):
            raise Refused(start, "port map", numbers, "numbers, no two the same")
        for port, number in enumerate(numbers):
            if number != 255 and port not in ports:
                raise Refused(start + port, f"number of port {port}", number, 255)
        return [None if number == 255 else number for number in numbers]

    def look_for_what_no_writer_makes(self):
        numbers = [number for number, *_ in self.decisions]
        if list(dict.fromkeys(numbers)) != list(range(len(self.sets))):
            self.loose.append("sets are not numbered in the order of the decisions that use them")
        means = [one.means(self.fabric, self.group) for one in self.sets]
        if any(means[i] == means[j] for j in range(len(means)) for i in range(j)):
            self.loose.append("two sets are equal")

    def routes(self, number, destination):
        """The kept routes of a set that is drawn by route or by shape: x, y, detour or -1, shape."""
        fabric, one = self.fabric, self.sets[number]
        to_group, to_index = divmod(destination, fabric.a)
        if to_group == self.group or not fabric.has_switch(destination):
            return
        for middle in range(fabric.g):
            if middle in (self.group, to_group):
                continue
            switches = range(fabric.kind_of[middle][1])
            for x, arrival in fabric.links.get((self.group, middle), []):
                head, v = int(fabric.switch_of(x) != self.index), fabric.switch_of(arrival)
                for y, end in fabric.links.get((middle, to_group), []):
                    tail, w = int(fabric.switch_of(end) != to_index), fabric.switch_of(y)
                    ends = (self.group, self.index, fabric.switch_of(x))
                    if not fabric.is_hop(*ends) or not fabric.is_hop(to_group, fabric.switch_of(end), to_index):
                        continue
                    detours = [-1] if v == w else [-1] + [d for d in switches if d not in (v, w)]
                    for detour in detours:
                        mid = 0 if v == w else 1 if detour < 0 else 2
                        shape = shape_number(head, mid, tail)
                        low = w if detour < 0 else detour
                        if not fabric.is_hop(middle, v, low) or not fabric.is_hop(middle, low, w):
                            continue
                        key = self.switch << 48 | destination << 32 | x << 20 | y << 8 | low
                        if one.keeps(shape, key, x):
                            yield x, y, detour, shape

    def legs(self, from_switch, to_switch, of_all=False):
        """The hops of the shortest legs between two switches, and their links, or those of all legs."""
        (from_group, from_index), (to_group, to_index) = (
            divmod(switch, self.fabric.a) for switch in (from_switch, to_switch)
        )
        best = []
        for port, arrival in self.fabric.links.get((from_group, to_group), []):
            leaves, arrives = self.fabric.switch_of(port), self.fabric.switch_of(arrival)
            if not self.fabric.is_hop(from_group, from_index, leaves):
                continue
            if not self.fabric.is_hop(to_group, arrives, to_index):
                continue
            hops = 1 + (leaves != from_index) + (arrives != to_index)
            best.append((hops, port, arrival))
        least = min((leg[0] for leg in best), default=0)
        return least, [leg[1:] for leg in best if of_all or leg[0] == least]

    def walks(self, number, destination):
        """The walks of a set that is drawn by intermediate switch or by triple: x, y, detour or -1, shape, and how
        many pairs of shortest links its switch has, those that come back among them, or 1 for a triple."""
        fabric, one = self.fabric, self.sets[number]
        triples = one.draw == BY_TRIPLE
        to_group, to_index = divmod(destination, fabric.a)
        if to_group == self.group or not fabric.has_switch(destination):
            return
        for middle in range(fabric.a * fabric.g):
            group, r = divmod(middle, fabric.a)
            if group in (self.group, to_group) or not fabric.has_switch(middle):
                continue
            i, firsts = self.legs(self.switch, middle, triples)
            j, seconds = self.legs(middle, destination, triples)
            if not (i and j and (triples or one.legs >> 3 * (i - 1) + j - 1 & 1)):
                continue
            for x, arrival in firsts:
                for y, end in seconds:
                    v, w = fabric.switch_of(arrival), fabric.switch_of(y)
                    if v == w != r and not (one.returns or triples):
                        continue
                    head, tail = fabric.switch_of(x) != self.index, fabric.switch_of(end) != to_index
                    shape = shape_number(head, (v != r) + (r != w), tail)
                    # The header says w's index for no detour, r's otherwise.
                    detour = -1 if r in (v, w) else r
                    yield x, y, detour, shape, 1 if triples else len(firsts) * len(seconds)

    def ways(self, number, destination):
        """All that a set offers to a destination, sorted; for each route 1 stands last."""
        if self.sets[number].draw in (BY_SWITCH, BY_TRIPLE):
            return sorted(self.walks(number, destination))
        return sorted((*route, 1) for route in self.routes(number, destination))

    def means(self):
        return {
            "image": "switch",
            "switch": self.switch,
            "virtual_channels": self.virtual_channels,
            "decisions": self.decisions,
            "second_min": self.second_min,
            # Of a set that no decision uses nothing can be asked.
            "sets": [
                one.means(self.fabric, self.group) if any(used == n for used, *_ in self.decisions) else None
                for n, one in enumerate(self.sets)
            ],
            "peers": self.peers,
            "port_map": self.port_map,
        }


def line(value):
    return json.dumps(value, sort_keys=True)


def serve(records, answers):
    """Answers records: a letter, the length of what follows (u32, little-endian), and that.

    F, S  a fabric or switch image, kept for what follows if it is accepted: answered with its meaning
    f, s  the same, but not kept
    X, x  a fault image; with X everything is dead from then on that it names, and nothing else
    e     an escape image
    l     answered with what is loose in the image that was accepted last
    r     set (u8) and destination switch (u16) of the kept switch image: answered with its routes
    """
    fabric = switch = last = None
    while header := records.read(5):
        letter, length = struct.unpack("<cI", header)
        data = records.read(length)
        try:
            if letter in b"Ff":
                last = Fabric(data)
                fabric = last if letter == b"F" else fabric
                answer = last.means()
            elif letter in b"Ss":
                last = Switch(data, fabric)
                switch = last if letter == b"S" else switch
                answer = last.means()
            elif letter in b"Xx":
                last = Faults(data, fabric)
                if letter == b"X":
                    fabric.take(last)
                answer = last.means()
            elif letter == b"e":
                last = Escape(data, fabric)
                answer = last.means()
            else:
                answer = last.loose if letter == b"l" else switch.ways(*struct.unpack("<BH", data))
        except Refused as refused:
            answer = {"refused": str(refused)}
        answers.write(line(answer) + "\n")
        answers.flush()


def main(arguments):
    if arguments == ["--serve"]:
        serve(sys.stdin.buffer, sys.stdout)
        return 0
    fabric = None
    for path in arguments:
        with open(path, "rb") as file:
            image = file.read()
        try:
            kinds = {b"S": (Switch, "a switch"), b"X": (Faults, "a fault"), b"E": (Escape, "an escape")}
            if image[4:5] in kinds:
                kind, found = kinds[image[4:5]]
                if fabric is None:
                    raise Refused(4, "the image", f"{found} image", "a fabric image before it")
                decoded = kind(image, fabric)
            else:
                decoded = fabric = Fabric(image)
            print(line(decoded.means() | {"loose": decoded.loose}))
        except Refused as refused:
            print(f"{path}: {refused}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
